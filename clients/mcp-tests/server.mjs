// A server made with the official SDK.
import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";
import { z } from "zod";

const server = new McpServer({ name: "test", version: "1.0.0" });
const text = (text) => ({ content: [{ type: "text", text }] });

server.tool("echo", { text: z.string() }, async ({ text: given }) => text(`echo ${given}`));
server.tool("remove", { path: z.string() }, async ({ path }) => text(`removed ${path}`));
server.tool("secret", async () => text("KEY=abc"));
server.tool("big", { bytes: z.number() }, async ({ bytes }) => text("x".repeat(bytes)));
server.tool("steps", async (extra) => {
  const progressToken = extra._meta?.progressToken;
  for (let progress = 1; progress <= 3; progress++) {
    await extra.sendNotification({ method: "notifications/progress", params: { progressToken, progress, total: 3 } });
  }
  return text("done");
});
server.tool("crash", async () => process.exit(7));

await server.connect(new StdioServerTransport());
