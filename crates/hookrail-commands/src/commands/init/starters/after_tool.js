function main(payload) {
  const file = payload.tool_input.file_path ?? "a file";
  console.log(JSON.stringify({
    hookSpecificOutput: {
      hookEventName: "AfterTool",
      additionalContext: `You changed ${file}: run the tests before you finish.`,
    },
  }));
}
