async function main(payload) {
  const { appendFileSync } = await import("node:fs");
  const { dirname, join } = await import("node:path");
  const log = join(dirname(process.argv[1]), "sessions.log");
  appendFileSync(log, `${payload.timestamp} ${payload.reason}\n`);
}
