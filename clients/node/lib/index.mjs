// The client of `hookrail serve`: asks the user's hooks and rules before and after what an agent does.
// Types are in index.d.mts. Nothing but Node's own modules is used.
import { spawn } from 'node:child_process';
import { createRequire } from 'node:module';

export { Block, hook } from './hook.mjs';

/** Events at which a failure of hookrail itself refuses, unless `failClosed` is false. */
const GUARDED = new Set(['BeforeTool', 'BeforeModel', 'BeforeAgent']);

/** hookrail could not answer: it cannot be started, it ended, it took too long or it refused the request. */
export class HookrailError extends Error {}
/** Thrown by `runTool` when hooks blocked a call or a person declined it. */
export class Blocked extends Error {}
/** Thrown by `runTool` when a hook wants the agent to stop. */
export class Stopped extends Error {}

/** The program of the package for this platform, else the one of the search path. */
export function findProgram() {
  try {
    const require = createRequire(import.meta.url);
    return require.resolve(`@hookrail/${process.platform}-${process.arch}/bin/hookrail`);
  } catch {
    return 'hookrail';
  }
}

function verdictOf(event, output) {
  const specific = output.finalOutput?.hookSpecificOutput;
  const changes = specific !== null && typeof specific === 'object' ? specific : {};
  const { blocked = false, ask = false, shouldStop: stop = false } = output;
  return Object.freeze({
    event,
    decision: blocked ? 'block' : stop ? 'stop' : ask ? 'ask' : 'allow',
    blocked,
    ask,
    stop,
    reason: output.reason ?? undefined,
    cause: output.blockCause ?? undefined,
    stopReason: output.stopReason ?? undefined,
    systemMessage: output.systemMessage ?? undefined,
    suppressOutput: output.suppressOutput ?? false,
    toolInput: isObject(changes.tool_input) ? changes.tool_input : {},
    toolResponse: changes.tool_response ?? undefined,
    context: typeof changes.additionalContext === 'string' ? changes.additionalContext : undefined,
    changes,
    warnings: output.warnings ?? [],
    output,
  });
}

function failure(event, error) {
  const reason = `hookrail cannot decide: ${error.message}`;
  return verdictOf(event, { blocked: true, blockCause: 'failure', reason });
}

function isObject(value) {
  return value !== null && typeof value === 'object' && !Array.isArray(value);
}

/**
 * Asks hooks. The program is started when first needed, started again when it has ended, and ends with this process:
 * it stops when its standard input is closed.
 */
export class Hooks {
  #options;
  #server;
  #waiting = new Map();
  #asked = 0;
  #closed = false;

  constructor(options = {}) {
    this.#options = { timeoutMs: 120_000, failClosed: true, trustHooks: false, ...options };
  }

  /** The process id of the program while it runs. */
  get pid() {
    return this.#server?.pid;
  }

  /** Asks the hooks of an event. Where hookrail fails, a guarded event is refused, or the error is thrown. */
  async fire(event, input, { signal, timeoutMs = this.#options.timeoutMs } = {}) {
    try {
      return verdictOf(event, await this.#ask(event, input, timeoutMs, signal));
    } catch (error) {
      if (error instanceof HookrailError && this.#options.failClosed && GUARDED.has(event)) return failure(event, error);
      throw error;
    }
  }

  /** Asks before a tool runs. */
  beforeTool(name, args, base = {}, options = {}) {
    return this.fire('BeforeTool', { tool_name: name, tool_input: args, ...base }, options);
  }

  /** Tells the hooks what a tool gave. */
  afterTool(name, args, response, base = {}, options = {}) {
    return this.fire('AfterTool', { tool_name: name, tool_input: args, tool_response: response, ...base }, options);
  }

  /**
   * One tool call with every effect: blocked (`Blocked`), asked, changed, run, replaced, stopped (`Stopped`).
   * `ask` decides for a person; without it, and by anything but `true`, a question refuses the call.
   */
  async runTool(name, args, run, { ask, base, signal } = {}) {
    const before = await this.beforeTool(name, args, base, { signal });
    if (before.blocked) throw new Blocked(before.reason ?? 'Blocked by hook');
    if (before.stop) throw new Stopped(before.stopReason ?? 'Hook requested stop');
    if (before.ask && !(ask && (await ask(before)) === true)) throw new Blocked(before.reason ?? 'A hook wanted a person to decide');
    const changed = { ...args, ...before.toolInput };
    const result = await run(changed);
    const response = isObject(result) ? result : { llmContent: typeof result === 'string' ? result : JSON.stringify(result) ?? '' };
    const after = await this.afterTool(name, changed, response, base, { signal });
    if (after.stop) throw new Stopped(after.stopReason ?? 'Hook requested stop');
    return shown(result, after);
  }

  /** Ends the program after it has answered what it was asked. */
  async close() {
    this.#closed = true;
    const server = this.#server;
    if (!server) return;
    const ended = new Promise((resolve) => server.once('close', resolve));
    server.stdin.end();
    const timer = setTimeout(() => server.kill('SIGKILL'), 10_000);
    await ended;
    clearTimeout(timer);
  }

  async [Symbol.asyncDispose ?? Symbol.for('Symbol.asyncDispose')]() {
    await this.close();
  }

  #ask(event, input, timeoutMs, signal) {
    return new Promise((resolve, reject) => {
      if (this.#closed) throw new HookrailError('this client was closed');
      if (signal?.aborted) throw signal.reason;
      const server = this.#running();
      const id = String((this.#asked += 1));
      const settle = (then) => (value) => {
        clearTimeout(timer);
        signal?.removeEventListener('abort', aborted);
        this.#waiting.delete(id);
        if (this.#waiting.size === 0) idle(server, true);
        then(value);
      };
      const aborted = () => settle(reject)(signal.reason);
      const timer = setTimeout(() => settle(reject)(new HookrailError(`no answer within ${timeoutMs} ms`)), timeoutMs);
      signal?.addEventListener('abort', aborted, { once: true });
      this.#waiting.set(id, { resolve: settle(resolve), reject: settle(reject), server });
      idle(server, false);
      server.stdin.write(`${JSON.stringify({ type: 'hook-execution-request', eventName: event, correlationId: id, input })}\n`);
    });
  }

  #running() {
    if (this.#server) return this.#server;
    const { program = findProgram(), directory, trustHooks, env } = this.#options;
    const words = [...(directory ? ['-C', directory] : []), 'serve', ...(trustHooks ? ['--trust-hooks'] : [])];
    const server = spawn(program, words, { stdio: ['pipe', 'pipe', 'inherit'], env });
    this.#server = server;
    const lost = (why) => {
      if (this.#server === server) this.#server = undefined;
      for (const waiting of [...this.#waiting.values()]) {
        if (waiting.server === server) waiting.reject(new HookrailError(why));
      }
    };
    server.on('error', (error) => lost(`\`${program}\` cannot be started: ${error.message}`));
    server.on('close', (code, sent) => lost(`hookrail ended (${sent ?? `exit code ${code}`}); its message is on stderr`));
    server.stdin.on('error', () => {}); // The end of the program is told by `close`.
    lines(server.stdout, (line) => this.#answered(line));
    idle(server, true);
    return server;
  }

  #answered(line) {
    let response;
    try {
      response = JSON.parse(line);
    } catch {
      return;
    }
    const waiting = this.#waiting.get(String(response?.correlationId));
    if (!waiting) return;
    if (response.error) waiting.reject(new HookrailError(`${response.error.code}: ${response.error.message}`));
    else if (isObject(response.output)) waiting.resolve(response.output);
    else waiting.reject(new HookrailError('the answer has no output'));
  }
}

/** A program that nobody waits for does not keep this process alive. */
function idle(server, isIdle) {
  for (const handle of [server, server.stdin, server.stdout]) {
    if (isIdle) handle.unref?.();
    else handle.ref?.();
  }
}

/** Only a line feed ends a line: JSON may contain every other separator as it is. */
function lines(stream, take) {
  let parts = [];
  stream.on('data', (chunk) => {
    let start = 0;
    for (let end; (end = chunk.indexOf(10, start)) >= 0; start = end + 1) {
      parts.push(chunk.subarray(start, end));
      take(Buffer.concat(parts).toString('utf8'));
      parts = [];
    }
    parts.push(chunk.subarray(start));
  });
}

/** The result as hooks leave it: replaced, and with their context behind it. */
function shown(result, verdict) {
  let text = result;
  if (verdict.toolResponse !== undefined) text = isObject(verdict.toolResponse) ? verdict.toolResponse.llmContent ?? verdict.toolResponse : verdict.toolResponse;
  if (verdict.context === undefined) return text;
  return typeof text === 'string' ? `${text}\n\n${verdict.context}` : [text, verdict.context].flat(1);
}
