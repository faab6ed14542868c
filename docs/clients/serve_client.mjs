// Asks `hookrail serve` whether a tool may run: node serve_client.mjs write_file
import { spawn } from "node:child_process";
import { createInterface } from "node:readline";

const server = spawn("hookrail", ["serve"], { stdio: ["pipe", "pipe", "inherit"] });
const waiting = new Map(); // Requests by their `correlationId`: any number may be under way.
let asked = 0;

createInterface({ input: server.stdout }).on("line", (line) => {
  const response = JSON.parse(line);
  const { resolve, reject } = waiting.get(response.correlationId);
  waiting.delete(response.correlationId);
  response.error ? reject(new Error(response.error.message)) : resolve(response.output);
});
server.on("exit", () => waiting.forEach(({ reject }) => reject(new Error("hookrail has ended"))));

function fire(eventName, input) {
  const correlationId = String(++asked);
  const request = { type: "hook-execution-request", eventName, correlationId, input };
  server.stdin.write(JSON.stringify(request) + "\n");
  return new Promise((resolve, reject) => waiting.set(correlationId, { resolve, reject }));
}

const tool = process.argv[2];
const verdict = await fire("BeforeTool", { tool_name: tool, tool_input: { file_path: "a.txt", content: "x" } });
server.stdin.end(); // The server finishes what is running and ends.
console.log(verdict.blocked ? `${tool}: blocked: ${verdict.reason}` : `${tool}: allowed`);
process.exitCode = verdict.blocked ? 2 : 0;
