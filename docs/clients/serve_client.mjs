// Asks `hookrail serve` whether a tool may run: node serve_client.mjs write_file
//
// Exit codes: 0 allowed, 2 blocked, 3 a hook asks the agent to stop, 4 a person is to decide, 1 no verdict.
import { spawn } from "node:child_process";
import { createInterface } from "node:readline";

const server = spawn("hookrail", ["serve"], { stdio: ["pipe", "pipe", "inherit"] });
const waiting = new Map(); // Requests by their `correlationId`: any number may be under way.
let asked = 0;
let ended = null; // Why nothing is answered any more: hookrail ends when its settings are broken.

createInterface({ input: server.stdout }).on("line", (line) => {
  const response = JSON.parse(line);
  const { resolve, reject } = waiting.get(response.correlationId);
  waiting.delete(response.correlationId);
  response.error ? reject(new Error(response.error.message)) : resolve(response.output);
});
server.stdin.on("error", () => {}); // The server has ended, which `close` reports.
for (const event of ["error", "close"]) {
  server.on(event, () => {
    ended = new Error("hookrail has ended; what it wrote to stderr says why");
    waiting.forEach(({ reject }) => reject(ended));
  });
}

function fire(eventName, input) {
  if (ended) return Promise.reject(ended);
  const correlationId = String(++asked);
  const request = { type: "hook-execution-request", eventName, correlationId, input };
  server.stdin.write(JSON.stringify(request) + "\n");
  return new Promise((resolve, reject) => waiting.set(correlationId, { resolve, reject }));
}

// What an agent has to do, and the exit code for it. A block counts more than a stop, a stop more than a question.
function decide(verdict) {
  if (verdict.blocked) return [`blocked: ${verdict.reason}`, 2];
  if (verdict.shouldStop) return [`the agent is to stop: ${verdict.stopReason}`, 3];
  if (verdict.ask) return [`a person is to decide: ${verdict.reason}`, 4];
  return ["allowed", 0];
}

const tool = process.argv[2];
const [said, code] = await fire("BeforeTool", { tool_name: tool, tool_input: { file_path: "a.txt", content: "x" } })
  .then(decide)
  .catch((error) => [`no verdict: ${error.message}`, 1]); // Do not run the tool.
server.stdin.end(); // The server finishes what is running and ends.
console.log(`${tool}: ${said}`);
process.exitCode = code;
