// A home directory of its own for each test, the program that is tested, and the browser.
import { spawn, spawnSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { chromium } from 'playwright-core';

const FOLDER = path.dirname(fileURLToPath(import.meta.url));
export const PROGRAM = process.env.HOOKRAIL ?? path.join(FOLDER, '../../../../target/debug/hookrail');
const CHROMIUM = process.env.CHROMIUM ?? ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'].find((file) => fs.existsSync(file));
export const AXE = fs.readFileSync(path.join(FOLDER, 'node_modules/axe-core/axe.min.js'), 'utf8');
/** Generous: the machine may be busy. */
export const PATIENCE = 60_000;

/** A browser that reaches nothing but this machine. */
export function launch() {
  const args = ['--no-sandbox', '--disable-gpu', '--disable-background-networking', '--disable-component-update', '--disable-sync', '--no-first-run', '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1'];
  return chromium.launch({ executablePath: CHROMIUM, args, timeout: PATIENCE });
}

/** A home and a project. */
export class Home {
  constructor(settings = { enableHooks: true, hooksConfig: { rules: ['@standard'] } }) {
    this.dir = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), 'hookrail-browser-')));
    this.project = path.join(this.dir, 'shop');
    this.log = path.join(this.dir, '.hookrail/log.jsonl');
    fs.mkdirSync(this.project);
    fs.mkdirSync(path.join(this.dir, '.hookrail'), { mode: 0o700 });
    fs.writeFileSync(path.join(this.dir, '.hookrail/settings.json'), JSON.stringify(settings), { mode: 0o600 });
    this.env = { PATH: process.env.PATH, HOME: this.dir, HOOKRAIL_HOME: this.dir, HOOKRAIL_SYSTEM_SETTINGS: path.join(this.dir, 'system.json'), TZ: 'UTC' };
  }

  /** Runs the program to its end. */
  run(args, input = '', cwd = this.project) {
    const ran = spawnSync(PROGRAM, args, { cwd, env: this.env, input, encoding: 'utf8', timeout: PATIENCE });
    return { code: ran.status, stdout: ran.stdout, stderr: ran.stderr };
  }

  /** A call of an agent, through the bridge. */
  call(agent, event, fields, cwd = this.project) {
    const system = this.env.HOOKRAIL_SYSTEM_SETTINGS;
    return this.run(['bridge', '--home', this.dir, '--system', system, agent, event], JSON.stringify({ cwd, hook_event_name: event, ...fields }), cwd);
  }

  /** Lines of the log that this program did not write. */
  write(lines) {
    fs.appendFileSync(this.log, lines.map((line) => `${JSON.stringify(line)}\n`).join(''), { mode: 0o600 });
  }

  /** The page as a file. */
  report(...args) {
    const file = path.join(this.dir, 'report.html');
    const ran = this.run(['report', '-o', file, ...args]);
    if (ran.code !== 0) throw new Error(ran.stderr);
    return file;
  }

  /** The page on 127.0.0.1: its address, and how to end it. */
  async live() {
    const child = spawn(PROGRAM, ['report', '--live'], { cwd: this.project, env: this.env, stdio: ['ignore', 'pipe', 'inherit'] });
    const address = await new Promise((resolve, reject) => {
      let text = '';
      child.stdout.on('data', (piece) => {
        text += piece;
        if (text.includes('\n')) resolve(text.trim());
      });
      child.on('exit', () => reject(new Error('the report ended')));
    });
    const ended = new Promise((resolve) => { child.on('exit', resolve); });
    return { address, child, end: async () => { child.kill('SIGINT'); return ended; } };
  }

  remove() {
    fs.rmSync(this.dir, { recursive: true, force: true });
  }
}

/** A line of the log about a decision. */
export function decision(fields = {}) {
  return { type: 'decision', timestamp: new Date().toISOString(), sessionId: 'one', callId: 'c', event: 'BeforeTool', agent: 'claude', project: '/work/shop', tool: 'run_shell_command', summary: 'ls', decision: 'allow', durationMs: 3, ...fields };
}
