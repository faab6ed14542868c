// The adapter against the real Vercel AI SDK, where it is installed (`cargo xtask clients` installs it).
import assert from 'node:assert/strict';
import test from 'node:test';
import { Hooks, Stopped } from '../lib/index.mjs';
import { guardTools, stoppedByHook } from '../lib/ai.mjs';
import { home } from './home.mjs';

const sdk = await import('ai').catch(() => undefined);

test('every effect reaches the model or the host', { skip: sdk ? false : 'the package ai is not installed' }, async (t) => {
  const { generateText, tool, jsonSchema, stepCountIs } = sdk;
  const { MockLanguageModelV3, MockLanguageModelV2 } = await import('ai/test');
  const Model = MockLanguageModelV3 ?? MockLanguageModelV2;
  const hooks = new Hooks(home(t));
  const usage = { inputTokens: { total: 1 }, outputTokens: { total: 1 } };
  const answer = async (line, ask) => {
    const ran = [];
    const quickly = async ({ command }) => {
      ran.push(command);
      return 'result';
    };
    async function* slowly({ command }) {
      yield 'part';
      yield await quickly({ command });
    }
    const sh = tool({
      description: 'Runs a command.',
      inputSchema: jsonSchema({ type: 'object', properties: { command: { type: 'string' } } }),
      execute: line.endsWith('-slowly') ? slowly : quickly,
    });
    let asked = 0;
    const model = new Model({
      doGenerate: async () => {
        asked += 1;
        const call = { type: 'tool-call', toolCallId: '1', toolName: 'sh', input: JSON.stringify({ command: line }) };
        return asked === 1
          ? { finishReason: { unified: 'tool-calls', raw: undefined }, usage, content: [call], warnings: [] }
          : { finishReason: { unified: 'stop', raw: undefined }, usage, content: [{ type: 'text', text: 'done' }], warnings: [] };
      },
    });
    const result = await generateText({ model, prompt: 'go', tools: guardTools({ sh }, { hooks, names: { sh: 'run_shell_command' }, ask }), stopWhen: [stepCountIs(3), stoppedByHook] });
    const part = result.steps[0].content.find(({ type }) => type === 'tool-result' || type === 'tool-error');
    return [part.type === 'tool-error' ? part.error.message : part.output, ran, part.error, asked];
  };
  assert.deepEqual((await answer('rm x')).slice(0, 2), ['rm is not for agents', []]);
  assert.deepEqual((await answer('git push')).slice(0, 2), ['May I push?', []]);
  assert.deepEqual((await answer('git push', async () => true)).slice(0, 2), ['result', ['git push']]);
  assert.deepEqual((await answer('npm install')).slice(0, 2), ['result', ['pnpm install']]);
  assert.deepEqual((await answer('ls')).slice(0, 2), ['result\n\nmind the gap', ['ls']]);
  assert.deepEqual((await answer('cat x')).slice(0, 2), ['masked', ['cat x']]);
  assert.deepEqual((await answer('cat x -slowly')).slice(0, 2), ['masked', ['cat x -slowly']]);
  assert.deepEqual((await answer('true -slowly')).slice(0, 2), ['result', ['true -slowly']]);
  const [text, ran, error, asked] = await answer('halt');
  assert.deepEqual([text, ran, error instanceof Stopped, asked], ['enough', [], true, 1], 'the model is not asked again');
  await hooks.close();
});
