// The client against the real program, which HOOKRAIL_PROGRAM names (else the one of the search path).
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import test from 'node:test';
import { Blocked, HookrailError, Hooks, Stopped } from '../lib/index.mjs';
import { home, program } from './home.mjs';

const shell = (command) => ({ command });

test('every effect is acted on', async (t) => {
  const hooks = new Hooks(home(t));
  const ran = [];
  const run = async ({ command }) => {
    ran.push(command);
    return 'result';
  };
  const call = (line, options) => hooks.runTool('run_shell_command', shell(line), run, options);
  await assert.rejects(call('sudo rm -rf x'), (error) => error instanceof Blocked && /rm is not for agents/.test(error.message));
  await assert.rejects(call('git push'), Blocked);
  await assert.rejects(call('git push', { ask: async () => false }), Blocked);
  await assert.rejects(call('halt'), (error) => error instanceof Stopped && error.message === 'enough');
  assert.deepEqual(ran, []);
  assert.equal(await call('git push', { ask: async ({ reason }) => reason === 'May I push?' }), 'result');
  assert.equal(await call('npm install'), 'result');
  assert.equal(await call('ls'), 'result\n\nmind the gap');
  assert.equal(await call('cat secrets'), 'masked');
  assert.deepEqual(ran, ['git push', 'pnpm install', 'ls', 'cat secrets']);
  await hooks.close();
});

test('many questions at once', async (t) => {
  const hooks = new Hooks(home(t));
  const lines = Array.from({ length: 40 }, (_, at) => (at % 2 ? `rm ${at}` : `ls ${at}`));
  const verdicts = await Promise.all(lines.map((line) => hooks.beforeTool('run_shell_command', shell(line))));
  assert.deepEqual(verdicts.map(({ decision }) => decision), lines.map((line) => (line.startsWith('rm') ? 'block' : 'allow')));
  await hooks.close();
});

test('the program is started again', async (t) => {
  const hooks = new Hooks(home(t));
  await hooks.beforeTool('x', {});
  const { pid } = hooks;
  process.kill(pid, 'SIGKILL');
  const first = await hooks.beforeTool('run_shell_command', shell('rm x'));
  assert.equal(first.decision, 'block'); // Either the old one was lost, or the new one decided.
  assert.equal((await hooks.beforeTool('run_shell_command', shell('rm x'))).cause, 'policy');
  assert.notEqual(hooks.pid, pid);
  await hooks.close();
});

test('failures refuse guarded events unless told otherwise', async (t) => {
  const options = { ...home(t), program: '/no/such/hookrail' };
  const { decision, cause } = await new Hooks(options).beforeTool('x', {});
  assert.deepEqual([decision, cause], ['block', 'failure']);
  await assert.rejects(new Hooks(options).afterTool('x', {}, {}), HookrailError);
  await assert.rejects(new Hooks({ ...options, failClosed: false }).beforeTool('x', {}), HookrailError);
});

test('broken settings refuse', async (t) => {
  const { decision, cause } = await new Hooks(home(t, '{ broken')).beforeTool('run_shell_command', shell('ls'));
  assert.deepEqual([decision, cause], ['block', 'failure']);
});

test('a late answer refuses, a cancelled question disturbs no other', async (t) => {
  const hooks = new Hooks(home(t));
  const late = await hooks.beforeTool('run_shell_command', shell('slow'), {}, { timeoutMs: 200 });
  assert.deepEqual([late.decision, late.cause], ['block', 'failure']);
  const cancel = new AbortController();
  const question = hooks.beforeTool('run_shell_command', shell('slow'), {}, { signal: cancel.signal });
  cancel.abort(new Error('never mind'));
  await assert.rejects(question, /never mind/);
  assert.equal((await hooks.beforeTool('run_shell_command', shell('rm x'))).decision, 'block');
  await hooks.close();
});

test('a host that forgets to close it ends, and the program with it', (t) => {
  const { directory, env } = home(t);
  const script = `import { Hooks } from ${JSON.stringify(new URL('../lib/index.mjs', import.meta.url).href)};
    const hooks = new Hooks({ program: ${JSON.stringify(program)}, directory: ${JSON.stringify(directory)} });
    console.log((await hooks.beforeTool('run_shell_command', { command: 'rm x' })).decision, hooks.pid);`;
  const host = spawnSync(process.execPath, ['--input-type=module', '-e', script], { env, encoding: 'utf8', timeout: 60_000 });
  const [decision, pid] = host.stdout.trim().split(' ');
  assert.equal(decision, 'block', host.stderr);
  assert.equal(host.status, 0);
  const until = Date.now() + 20_000;
  let alive = true;
  while (alive && Date.now() < until) {
    try {
      process.kill(Number(pid), 0);
      spawnSync('sleep', ['0.1']);
    } catch {
      alive = false;
    }
  }
  assert.equal(alive, false);
});
