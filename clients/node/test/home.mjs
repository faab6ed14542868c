// A home with settings for the tests, and the options of a client that leads there.
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';

export const program = process.env.HOOKRAIL_PROGRAM ?? 'hookrail';
const rule = (name, when, then) => ({ type: 'rule', name, when, ...then });
const settings = {
  enableHooks: true,
  hooks: {
    BeforeTool: [{ hooks: [
      rule('no-rm', { command: 'rm' }, { block: 'rm is not for agents' }),
      rule('ask-push', { command: 'git push' }, { ask: 'May I push?' }),
      rule('stop', { command: 'halt' }, { then: { continue: false, stopReason: 'enough' } }),
      rule('pnpm', { command: 'npm install' }, { then: { hookSpecificOutput: { tool_input: { command: 'pnpm install' } } } }),
      { type: 'command', name: 'slow', when: { command: 'slow' }, command: 'sleep 5' },
    ] }],
    AfterTool: [{ hooks: [
      rule('context', { command: 'ls' }, { context: 'mind the gap' }),
      rule('replace', { command: 'cat' }, { then: { hookSpecificOutput: { tool_response: { llmContent: 'masked' } } } }),
    ] }],
  },
};

export function home(t, text = JSON.stringify(settings)) {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'hookrail-'));
  t.after(() => fs.rmSync(folder, { recursive: true }));
  fs.mkdirSync(path.join(folder, '.llxprt'));
  fs.mkdirSync(path.join(folder, 'project'));
  fs.writeFileSync(path.join(folder, '.llxprt/settings.json'), text);
  const env = { ...process.env, HOOKRAIL_HOME: folder, HOOKRAIL_SYSTEM_SETTINGS: path.join(folder, 'none.json') };
  return { program, directory: path.join(folder, 'project'), env };
}
