import { execFileSync } from 'node:child_process';
import { Block, hook } from './hookrail_hook.mjs';

let asked = 0;
let release;
const third = new Promise((resolve) => { release = resolve; });

async function guard(event) {
  asked += 1;
  const { do: what, text } = event.tool_input;
  switch (what) {
    case 'block': throw new Block('not this: \u00e4 \u2028 one line');
    case 'block without a reason': throw new Block('  ');
    case 'change': return { hookSpecificOutput: { tool_input: { text } } };
    case 'empty': return {};
    case 'print':
      console.log('a stray word');
      process.stdout.write('a stray write\n');
      console.log(execFileSync('echo', ['a stray child']).toString());
      return { decision: 'allow', reason: 'printed' };
    case 'fail': return event.nothing.here;
    case 'fail later':
      await new Promise((resolve) => setTimeout(resolve, 1));
      return event.nothing.here;
    case 'throw text': throw 'only text';
    case 'return a number': return 5;
    case 'return what is no JSON': return { value: 5n };
    case 'wait for the third': await third; return { reason: 'waited' };
    case 'be the third': release(); return { reason: 'came' };
    case 'count': return { count: asked };
    default: return undefined;
  }
}

hook(guard, process.argv[2] ? { concurrent: Number(process.argv[2]) } : {});
