// Compiled, not run: the types hold what the schemas say.
import { Hooks, hook, type EventFields, type Verdict } from '../lib/index.mjs';
import type { StopCondition } from 'ai';
import { guardTools, stoppedByHook } from '../lib/ai.mjs';

const hooks = new Hooks({ directory: '.', failClosed: true });
export const verdict: Promise<Verdict> = hooks.fire('BeforeTool', { tool_name: 'x', tool_input: {}, cwd: '/' });
// @ts-expect-error A tool call has a name.
void hooks.fire('BeforeTool', { tool_input: {} });
// @ts-expect-error There is no such event.
void hooks.fire('BeforeTol', {});
export const model: EventFields<'BeforeModel'> = { llm_request: { contents: [] } };
hook<'BeforeTool'>((event) => (event.tool_name === 'x' ? { decision: 'block', reason: event.session_id } : undefined));
// @ts-expect-error `maybe` is not a decision.
hook<'BeforeTool'>(() => ({ decision: 'maybe' }));
export const tools = guardTools({ sh: { execute: () => 1 } }, { hooks });
export const stop: StopCondition<any>[] = [stoppedByHook];
