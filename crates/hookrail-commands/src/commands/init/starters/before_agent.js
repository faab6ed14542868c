function main(payload) {
  const today = new Date().toISOString().slice(0, 10);
  console.log(JSON.stringify({
    hookSpecificOutput: { hookEventName: "BeforeAgent", additionalContext: `Today is ${today}.` },
  }));
}
