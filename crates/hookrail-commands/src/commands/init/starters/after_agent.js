function main(payload) {
  if (!payload.stop_hook_active && payload.prompt_response.includes("TODO")) {
    console.log(JSON.stringify({
      decision: "block",
      reason: "Your answer leaves a TODO: finish it, or say why not.",
    }));
  }
}
