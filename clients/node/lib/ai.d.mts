import type { BaseFields, Hooks, RunToolOptions } from './index.mjs';

/** The same tools, guarded by the user's hooks. */
export function guardTools<T extends Record<string, unknown>>(
  tools: T,
  options?: { hooks?: Hooks; names?: Record<string, string>; ask?: RunToolOptions['ask']; base?: BaseFields },
): T;

/** A condition for `stopWhen`: a hook wants the agent to stop. Without it, the model goes on with an error of the tool. */
export function stoppedByHook(options: { steps: readonly { readonly content: readonly { readonly type: string }[] }[] }): boolean;
