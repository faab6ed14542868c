function main(payload) {
  if (/-----BEGIN [A-Z ]*PRIVATE KEY-----/.test(JSON.stringify(payload.llm_request))) {
    console.error("The conversation contains a private key: it was not sent.");
    process.exitCode = 2;
  }
}
