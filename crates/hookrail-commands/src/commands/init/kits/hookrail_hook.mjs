// A hook as a function of the event. Put this file beside your hook:
//
//     import { Block, hook } from './hookrail_hook.mjs';
//
//     hook(async (event) => {
//       if (event.tool_input.file_path?.endsWith('.env')) throw new Block('secrets stay where they are');
//       return undefined;                   // or an object: the output of the hook
//     });
//
// With `"worker": true` in the settings the file is started once and asked many times; without it, once per event. The
// verdicts are the same. What the function prints with `console` is shown as what the hook wrote to stderr; stdout is for
// answers. An exception is a failure of the hook, with the stack on stderr. `hook(function, { concurrent: 4 })` lets a
// worker be asked so many things at once; otherwise it is one at a time. Do not call `process.exit`: throw.
import { AsyncLocalStorage } from 'node:async_hooks';
import { inspect } from 'node:util';

/** What the function prints while it answers an event. */
const printed = new AsyncLocalStorage();

/** Thrown by a hook to block, with the reason. */
export class Block extends Error {}

/** Runs a function as the hook of this program. */
export async function hook(run, { concurrent = 1 } = {}) {
  const answer = takeStdout();
  if (!process.env.HOOKRAIL_WORKER) return runOnce(run, answer, process.stdin);
  // The variable alone does not tell: a hook that is not a worker may inherit it. The first line does.
  const chunks = process.stdin[Symbol.asyncIterator]();
  let start = Buffer.alloc(0);
  for (let next; !start.includes(10) && !(next = await chunks.next()).done; ) start = Buffer.concat([start, next.value]);
  const stream = (async function* () {
    yield start;
    yield* chunks;
  })();
  if (isQuestion(start.toString('utf8').split('\n')[0])) return serve(run, concurrent, answer, stream);
  if (start.length > 0) return runOnce(run, answer, stream);
}

/** Whether a line asks a worker. */
function isQuestion(line) {
  try {
    const question = JSON.parse(line);
    return 'input' in question && !('hook_event_name' in question);
  } catch {
    return false;
  }
}

/** Reserves stdout for answers: whatever else is printed goes to stderr. Returns the function that writes a line. */
function takeStdout() {
  const write = process.stdout.write.bind(process.stdout);
  process.stdout.on('error', () => process.exit(0)); // No reader is left.
  const writeError = process.stderr.write.bind(process.stderr);
  // It is written at once, too, for a hook that never answers.
  process.stderr.write = (chunk, ...rest) => {
    printed.getStore()?.push(String(chunk));
    return writeError(chunk, ...rest);
  };
  process.stdout.write = process.stderr.write;
  return (value, done) => write(`${JSON.stringify(value)}\n`, done);
}

/** Answers one line after another, until there are no more. */
async function serve(run, concurrent, answer, stream) {
  answer({ ready: true, concurrent });
  const open = new Set();
  for await (const line of lines(stream)) {
    const { id, input } = JSON.parse(line);
    const texts = [];
    const asked = printed.run(texts, () => ask(run, input)).then((result) => {
      answer({ id, ...withPrinted(result, texts.join('')) });
    });
    open.add(asked);
    asked.finally(() => open.delete(asked));
    if (open.size >= concurrent) await Promise.race(open);
  }
  await Promise.all(open);
  process.exit(0);
}

/** The answer with what the hook printed as its stderr. */
function withPrinted(result, text) {
  if (!text) return result;
  const { exitCode, stdout, stderr } = result.output ? { ...exited(0), stdout: JSON.stringify(result.output) } : result;
  return { exitCode, stdout, stderr: text + stderr };
}

/** Answers the one event on stdin. */
async function runOnce(run, answer, stream) {
  const chunks = [];
  for await (const chunk of stream) chunks.push(chunk);
  const result = await ask(run, JSON.parse(Buffer.concat(chunks).toString('utf8')));
  if (result.output) answer(result.output, () => process.exit(0));
  else process.stderr.write(result.stderr, () => process.exit(result.exitCode));
}

/** The answer of the function to an event, in the form of the protocol. */
async function ask(run, event) {
  try {
    const output = await run(event);
    if (output === undefined || output === null) return exited(0);
    if (typeof output !== 'object' || Array.isArray(output)) {
      throw new TypeError(`a hook returns an object or nothing, not ${inspect(output)}`);
    }
    // Turned into plain data here: what cannot be is the hook's failure.
    return { output: JSON.parse(JSON.stringify(output)) };
  } catch (error) {
    if (error instanceof Block) {
      return { output: { decision: 'block', reason: error.message.trim() || 'Blocked by hook' } };
    }
    return exited(1, `${error?.stack ?? inspect(error)}\n`);
  }
}

/** The answer of a hook without output. */
function exited(exitCode, stderr = '') {
  return { exitCode, stdout: '', stderr };
}

/** The lines of a stream. Only a line feed ends one: JSON may contain every other separator as it is. */
async function* lines(stream) {
  let parts = [];
  for await (const chunk of stream) {
    let start = 0;
    for (let end; (end = chunk.indexOf(10, start)) >= 0; start = end + 1) {
      parts.push(chunk.subarray(start, end));
      yield Buffer.concat(parts).toString('utf8');
      parts = [];
    }
    parts.push(chunk.subarray(start));
  }
}
