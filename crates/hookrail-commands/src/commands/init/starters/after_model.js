function main(payload) {
  const tokens = payload.llm_response.usageMetadata?.totalTokenCount ?? 0;
  if (tokens > 100_000) {
    console.log(JSON.stringify({ systemMessage: `This conversation takes ${tokens} tokens a call: be brief.` }));
  }
}
