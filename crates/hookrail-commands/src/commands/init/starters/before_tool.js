function main(payload) {
  const name = String(payload.tool_input.file_path ?? "").split("/").pop();
  if (name === ".env" || name.startsWith(".env.")) {
    console.error("Files named .env hold secrets: ask the user to change them.");
    process.exitCode = 2;
  }
}
