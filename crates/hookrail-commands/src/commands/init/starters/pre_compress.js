async function main(payload) {
  const { copyFileSync, existsSync } = await import("node:fs");
  const transcript = payload.transcript_path;
  if (transcript && existsSync(transcript)) {
    const now = new Date().toISOString().replace(/[-:]|\.\d+/g, "");
    copyFileSync(transcript, `${transcript}.${now}.bak`);
  }
}
