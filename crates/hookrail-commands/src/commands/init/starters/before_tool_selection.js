function main(payload) {
  if (process.env.HOOK_READ_ONLY === "1") {
    console.log(JSON.stringify({
      hookSpecificOutput: {
        hookEventName: "BeforeToolSelection",
        toolConfig: {
          mode: "AUTO",
          allowedFunctionNames: ["read_file", "list_directory", "glob", "search_file_content"],
        },
      },
    }));
  }
}
