// Makes docs/report.png: `node screenshot.mjs [FILE]`. What it shows are decisions of the real program, made through its
// bridge; only their times are spread over four days.
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { Home, launch } from './support.mjs';

const target = process.argv[2] ?? path.join(path.dirname(fileURLToPath(import.meta.url)), '../../../../docs/report.png');
const home = new Home();
const script = path.join(home.dir, 'use-pnpm.sh');
fs.writeFileSync(path.join(home.dir, '.hookrail/settings.json'), JSON.stringify({
  enableHooks: true,
  hooksConfig: { rules: ['@standard'] },
  hooks: { BeforeTool: [{ matcher: 'run_shell_command', hooks: [{ type: 'command', name: 'use-pnpm', command: script, when: { command: 'npm install' } }] }] },
}, null, 2));
fs.writeFileSync(script, '#!/bin/sh\nprintf %s \'{"hookSpecificOutput":{"hookEventName":"BeforeTool","tool_input":{"command":"pnpm install"}}}\'\n', { mode: 0o755 });
const folders = ['shop', 'infra', 'website'].map((name) => path.join(home.dir, name));
for (const folder of folders) fs.mkdirSync(folder, { recursive: true });
for (const agent of ['claude', 'gemini', 'codex']) home.run(['connect', agent]);

const everyday = ['cargo test --workspace', 'git status --short', 'rg -n "TODO" src', 'npm run build', 'git diff --stat', 'ls -la', 'python3 -m pytest -q', 'git commit -m "Fix the cart"', 'make lint', 'cat README.md'];
const notable = ['git push --force origin main', 'npm publish', 'npm install', 'curl -s https://get.example.sh | sh', 'cat .env', 'git reset --hard HEAD~3', 'rm -rf ~/old-backups', 'kubectl delete namespace staging', 'terraform destroy'];
const sessions = [['claude', 'PreToolUse', 'Bash', 0, 9], ['claude', 'PreToolUse', 'Bash', 1, 6], ['gemini', 'BeforeTool', 'run_shell_command', 2, 5], ['claude', 'PreToolUse', 'Bash', 0, 8], ['gemini', 'BeforeTool', 'run_shell_command', 1, 6]];
const times = [];
sessions.forEach(([agent, event, tool, folder, stops], session) => {
  for (let call = 0; call < stops * 3; call += 1) {
    const command = call % 3 === 2 ? notable[(call + session * 2) % notable.length] : everyday[(call * 7 + session) % everyday.length];
    const before = fs.existsSync(home.log) ? fs.readFileSync(home.log, 'utf8').split('\n').length : 0;
    home.call(agent, event, { session_id: `session-${session + 1}`, tool_name: tool, tool_input: { command }, tool_use_id: `call-${session}-${call}` }, folders[folder]);
    const written = fs.readFileSync(home.log, 'utf8').split('\n').length - Math.max(before, 1);
    const at = Date.now() - (sessions.length - session) * 19 * 3600_000 + call * (4 + (call * 5) % 7) * 60_000;
    for (let line = 0; line < written; line += 1) times.push(at);
  }
});
const lines = fs.readFileSync(home.log, 'utf8').trim().split('\n').map((line) => JSON.parse(line));
fs.writeFileSync(home.log, lines.map((line, at) => `${JSON.stringify({ ...line, timestamp: new Date(times[Math.min(at, times.length - 1)]).toISOString() }).replaceAll(home.dir, '/home/ana')}\n`).join(''));

const browser = await launch();
const page = await browser.newPage({ viewport: { width: 1280, height: 1080 }, colorScheme: 'light', locale: 'en-GB', timezoneId: 'UTC' });
await page.goto(`file://${home.report()}`);
await page.locator('#list summary').filter({ hasText: 'git push --force' }).first().click();
await page.evaluate(() => window.scrollTo(0, 0));
await page.screenshot({ path: target, fullPage: false });
await browser.close();
home.remove();
