// An adapter for the Vercel AI SDK: tools whose calls ask the user's hooks first.
import { Hooks, Stopped } from './index.mjs';

/**
 * The same tools, guarded. A blocked call is an error of the tool, which the model reads; `names` maps the SDK's tool
 * names to those that rules know, such as `{ bash: 'run_shell_command' }`.
 */
export function guardTools(tools, { hooks = new Hooks(), names = {}, ask, base } = {}) {
  return Object.fromEntries(Object.entries(tools).map(([name, tool]) => {
    if (typeof tool.execute !== 'function') return [name, tool];
    const execute = (args, options) => hooks.runTool(names[name] ?? name, args, (changed) => final(tool.execute(changed, options)), { ask, base, signal: options?.abortSignal });
    return [name, { ...tool, execute }];
  }));
}

/** A condition for `stopWhen`: a hook wants the agent to stop. Without it, the model goes on with an error of the tool. */
export function stoppedByHook({ steps }) {
  return steps.at(-1)?.content.some(({ type, error }) => type === 'tool-error' && error instanceof Stopped) ?? false;
}

/** The result of a tool; of one that gives it in parts, the last of them. */
async function final(result) {
  if (typeof result?.[Symbol.asyncIterator] !== 'function') return result;
  let last;
  for await (last of result);
  return last;
}
