#!/usr/bin/env node
// Migrations that were applied are never edited.
let text = '';
process.stdin.on('data', (chunk) => (text += chunk));
process.stdin.on('end', () => {
  const { tool_name, tool_input } = JSON.parse(text);
  if (['Write', 'Edit', 'MultiEdit'].includes(tool_name) && /\/migrations\//.test(tool_input.file_path)) {
    console.error('Migrations are append-only: add a new file with the next number');
    process.exit(2);
  }
});
