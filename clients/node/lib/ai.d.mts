import type { BaseFields, Hooks, RunToolOptions } from './index.mjs';

/** The same tools, guarded by the user's hooks. */
export function guardTools<T extends Record<string, unknown>>(
  tools: T,
  options?: { hooks?: Hooks; names?: Record<string, string>; ask?: RunToolOptions['ask']; base?: BaseFields },
): T;
