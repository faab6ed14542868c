// The examples of the documentation, run as a user would: the program is on the search path, the package is found by its name.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import test from 'node:test';
import { promisify } from 'node:util';
import { home, program } from './home.mjs';

const docs = process.env.HOOKRAIL_DOCS;
const skip = docs ? false : 'HOOKRAIL_DOCS does not name the folder of the documentation';

async function example(t, name, before = '', after = '') {
  const page = fs.readFileSync(path.join(docs, 'embedding-node.md'), 'utf8');
  const [, code] = page.match(new RegExp(`\`\`\`js file=${name}\n(.*?)\`\`\``, 's'));
  const { directory, env } = home(t);
  fs.symlinkSync(program, path.join(directory, 'hookrail'));
  const file = path.join(import.meta.dirname, `example-${name}`);
  t.after(() => fs.rmSync(file));
  fs.writeFileSync(file, `${before}\n${code}\n${after}`);
  const ran = await promisify(execFile)(process.execPath, [file], { env: { ...env, PATH: `${directory}:${process.env.PATH}` } });
  return ran.stdout;
}

test('the client', { skip }, async (t) => {
  assert.equal(await example(t, 'own-agent.mjs'), 'refused: rm is not for agents\n');
});

test('the AI SDK', { skip }, async (t) => {
  const before = `
    import * as mocks from 'ai/test';
    const Model = mocks.MockLanguageModelV3 ?? mocks.MockLanguageModelV2;
    const usage = { inputTokens: { total: 1 }, outputTokens: { total: 1 } };
    const call = { type: 'tool-call', toolCallId: '1', toolName: 'sh', input: '{"command":"rm x"}' };
    const answers = [
      { finishReason: { unified: 'tool-calls', raw: undefined }, usage, content: [call], warnings: [] },
      { finishReason: { unified: 'stop', raw: undefined }, usage, content: [{ type: 'text', text: 'done' }], warnings: [] },
    ];
    const model = new Model({ doGenerate: async () => answers.shift() });
    const execute = () => { throw new Error('it ran'); };`;
  const after = `
    console.log(answer.steps[0].content.find(({ type }) => type === 'tool-error').error.message);
    process.exit();`;
  assert.equal(await example(t, 'ai-agent.mjs', before, after), 'rm is not for agents\n');
});
