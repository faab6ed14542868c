#!/usr/bin/env node
// Blocks writes to .env files. Started once and asked about many events; see hookrail_hook.mjs.
import { Block, hook } from './hookrail_hook.mjs';

hook((event) => {
  const name = String(event.tool_input.file_path ?? '').split('/').pop();
  if (name === '.env' || name.startsWith('.env.')) {
    throw new Block('Files named .env hold secrets: ask the user to change them.');
  }
});
