async function main(payload) {
  const { spawnSync } = await import("node:child_process");
  // Without notify-send or a desktop there is nothing to show it on, which is not a failure.
  spawnSync("notify-send", ["The agent waits", payload.message], { stdio: "ignore" });
}
