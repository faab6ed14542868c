async function main(payload) {
  const { spawnSync } = await import("node:child_process");
  const git = spawnSync("git", ["branch", "--show-current"], { encoding: "utf8" });
  const branch = (git.stdout ?? "").trim();
  if (branch) {
    console.log(JSON.stringify({
      hookSpecificOutput: {
        hookEventName: "SessionStart",
        additionalContext: `The git branch is ${branch}.`,
      },
    }));
  }
}
