/** The client of `hookrail serve`, and the kit for hooks. */

import type { BaseFields, EventInputs, EventName, EventOutputs, JsonObject } from './events.mjs';
export type * from './events.mjs';

/** What a client passes on: the event's own fields. Model payloads may be in the SDK's form, too. */
export type EventFields<E extends EventName> = BaseFields & {
  [K in Exclude<keyof EventInputs[E], keyof BaseFields | 'hook_event_name'>]: K extends 'llm_request' | 'llm_response'
    ? EventInputs[E][K] | JsonObject
    : EventInputs[E][K];
};

/** What the hooks decided about one event. */
export interface Verdict {
  readonly event: EventName;
  /** The strongest of what was decided. */
  readonly decision: 'block' | 'stop' | 'ask' | 'allow';
  readonly blocked: boolean;
  /** A person has to decide; `reason` is the question. */
  readonly ask: boolean;
  readonly stop: boolean;
  readonly reason?: string;
  /** `policy` if a hook decided to block, `failure` if one failed to decide. */
  readonly cause?: 'policy' | 'failure';
  readonly stopReason?: string;
  /** For the model. */
  readonly systemMessage?: string;
  readonly suppressOutput: boolean;
  /** Changed arguments of a tool; merge them over the original ones. */
  readonly toolInput: JsonObject;
  /** What replaces the result of a tool. */
  readonly toolResponse?: unknown;
  /** Text to add for the model. */
  readonly context?: string;
  /** `hookSpecificOutput` of the merged output. */
  readonly changes: JsonObject;
  readonly warnings: readonly string[];
  /** The whole answer. */
  readonly output: JsonObject;
}

export interface HooksOptions {
  /** The program; otherwise that of the package for this platform, or `hookrail` of the search path. */
  program?: string;
  /** Where the agent works. */
  directory?: string;
  /** The program's environment; otherwise this process's. */
  env?: NodeJS.ProcessEnv;
  /** How long an answer is waited for; two minutes if not given. */
  timeoutMs?: number;
  /** Whether a failure of hookrail itself refuses BeforeTool, BeforeModel and BeforeAgent; true if not given. */
  failClosed?: boolean;
  /** Accepts the project's hooks as they are, for this run. For CI. */
  trustHooks?: boolean;
}

export interface FireOptions {
  signal?: AbortSignal;
  timeoutMs?: number;
}

export interface RunToolOptions {
  /** Decides for a person. Without it a question refuses the call. */
  ask?: (verdict: Verdict) => boolean | Promise<boolean>;
  base?: BaseFields;
  signal?: AbortSignal;
}

/** hookrail could not answer. */
export class HookrailError extends Error {}
/** Hooks blocked a call, or a person declined it. */
export class Blocked extends Error {}
/** A hook wants the agent to stop. */
export class Stopped extends Error {}

export class Hooks {
  constructor(options?: HooksOptions);
  readonly pid: number | undefined;
  fire<E extends EventName>(event: E, input: EventFields<E>, options?: FireOptions): Promise<Verdict>;
  beforeTool(name: string, args: JsonObject, base?: BaseFields, options?: FireOptions): Promise<Verdict>;
  afterTool(name: string, args: JsonObject, response: JsonObject, base?: BaseFields, options?: FireOptions): Promise<Verdict>;
  runTool<T>(name: string, args: JsonObject, run: (args: JsonObject) => T | Promise<T>, options?: RunToolOptions): Promise<T>;
  close(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

export function findProgram(): string;

/** Thrown by a hook to block, with the reason. */
export class Block extends Error {}
/** Runs a function as the hook of this program: `hook<'BeforeTool'>((event) => …)`. */
export function hook<E extends EventName = EventName>(
  run: (event: EventInputs[E]) => EventOutputs[E] | void | null | Promise<EventOutputs[E] | void | null>,
  options?: { concurrent?: number },
): void;
