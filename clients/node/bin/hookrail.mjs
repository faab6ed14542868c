#!/usr/bin/env node
// Starts the program that the package for this platform brought. No install script is needed for it.
import { spawnSync } from 'node:child_process';
import { findProgram } from '../lib/index.mjs';

const program = findProgram();
if (program === 'hookrail') {
  console.error(`error: the package @hookrail/${process.platform}-${process.arch} is not installed
hint: install hookrail again without --omit=optional; hookrail runs on Linux and macOS, x64 and arm64`);
  process.exit(70);
}
const { status, signal, error } = spawnSync(program, process.argv.slice(2), { stdio: 'inherit' });
if (error) {
  console.error(`error: ${program} cannot be started: ${error.message}`);
  process.exit(70);
}
if (signal) process.kill(process.pid, signal);
process.exit(status ?? 70);
