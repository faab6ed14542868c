// A client made with the official SDK: node client.mjs PROGRAM SERVER…
import assert from "node:assert/strict";
import { existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";

const [program, ...server] = process.argv.slice(2);
const home = realpathSync(mkdtempSync(join(tmpdir(), "hookrail-mcp-")));
const command = (tool, line) => ({ matcher: `mcp__test__${tool}$`, hooks: [{ type: "command", command: line }] });
const say = (fields) => `cat > /dev/null; echo '${JSON.stringify({ hookSpecificOutput: fields })}'`;
const settings = {
  enableHooks: true,
  hooks: {
    BeforeTool: [
      { matcher: "mcp__test__remove", hooks: [{ type: "rule", when: {}, block: "nothing is removed", instead: "move it" }] },
      command("echo", `if grep -q change; then echo '{"hookSpecificOutput":{"tool_input":{"text":"changed"}}}'; fi`),
      command("big", `if grep -q '"bytes":1[,}]'; then touch "${home}/hook"; exec sleep 600; fi`),
    ],
    AfterTool: [
      command("secret", say({ tool_response: "KEY=***" })),
      command("steps", say({ additionalContext: "three steps" })),
    ],
  },
};
mkdirSync(join(home, ".hookrail"));
writeFileSync(join(home, ".hookrail/settings.json"), JSON.stringify(settings));

const client = new Client({ name: "sdk-client", version: "1.0.0" });
await client.connect(
  new StdioClientTransport({
    command: program,
    args: ["mcp", "--home", home, "--server", "test", "--", ...server],
    maxBufferSize: 64 << 20, // The SDK's own bound is 10 MiB.
  }),
);
const call = (name, given = {}, options) => client.callTool({ name, arguments: given }, undefined, options);
const texts = (result) => result.content.map((part) => part.text);

assert.equal((await client.listTools()).tools.length, 6);
assert.deepEqual(texts(await call("echo", { text: "né 🦀" })), ["echo né 🦀"]);
assert.deepEqual(texts(await call("echo", { text: "change me" })), ["echo changed"]);
const refused = await call("remove", { path: "x" });
assert.equal(refused.isError, true);
assert.match(texts(refused)[0], /nothing is removed[^]*move it/);
assert.deepEqual(texts(await call("secret")), ["KEY=***"]);
const progress = [];
const steps = await call("steps", {}, { onprogress: (step) => progress.push(step.progress) });
assert.deepEqual(progress, [1, 2, 3]);
assert.equal(texts(steps).at(-1), "three steps");
assert.equal(texts(await call("big", { bytes: 10 << 20 }))[0].length, 10 << 20);
const many = await Promise.all(Array.from({ length: 50 }, (_, n) => call("echo", { text: `n${n}` })));
assert.deepEqual(many.map((result) => texts(result)[0]), Array.from({ length: 50 }, (_, n) => `echo n${n}`));

const abort = new AbortController();
const cancelled = call("big", { bytes: 1 }, { signal: abort.signal });
while (!existsSync(join(home, "hook"))) await new Promise((done) => setTimeout(done, 20));
abort.abort();
await assert.rejects(cancelled);
assert.deepEqual(texts(await call("echo", { text: "after" })), ["echo after"]);

writeFileSync(join(home, ".hookrail/settings.json"), "{");
assert.equal((await call("echo", { text: "x" })).isError, true);
writeFileSync(join(home, ".hookrail/settings.json"), JSON.stringify(settings));
assert.deepEqual(texts(await call("echo", { text: "mended" })), ["echo mended"]);

await assert.rejects(call("crash"));
await client.close();
rmSync(home, { recursive: true });
