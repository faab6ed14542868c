// An adapter for the Vercel AI SDK: tools whose calls ask the user's hooks first.
import { Hooks } from './index.mjs';

/**
 * The same tools, guarded. A blocked call is an error of the tool, which the model reads; `names` maps the SDK's tool
 * names to those that rules know, such as `{ bash: 'run_shell_command' }`.
 */
export function guardTools(tools, { hooks = new Hooks(), names = {}, ask, base } = {}) {
  return Object.fromEntries(Object.entries(tools).map(([name, tool]) => {
    if (typeof tool.execute !== 'function') return [name, tool];
    const execute = (args, options) => hooks.runTool(names[name] ?? name, args, (changed) => tool.execute(changed, options), { ask, base, signal: options?.abortSignal });
    return [name, { ...tool, execute }];
  }));
}
