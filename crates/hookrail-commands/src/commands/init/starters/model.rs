//! Starters around model calls.
//!
//! They see every message of the conversation. The starters read it and send nothing anywhere.
//! They run for every model call, so they do nothing that takes long.

use super::Starter;

/// It blocks rather than changes: a request with the key cut out would still be a surprise to the user.
pub(super) const BEFORE_MODEL: Starter = Starter {
    name: "keep-private-keys",
    matcher: None,
    about: "before a request goes to the model. They can block it, change it or answer it.",
    fields: &[("llm_request", "the request: model, messages [{role, content}], config, toolConfig")],
    answers: &[
        (
            "{\"decision\": \"block\", \"reason\": \"…\"}",
            "the request is not sent; the user reads the reason",
        ),
        (
            "{\"hookSpecificOutput\": {\"llm_request\": {\"config\": {\"temperature\": 0}}}}",
            "changes what is given, keeps the rest",
        ),
        (
            "{\"decision\": \"block\", \"hookSpecificOutput\": {\"llm_response\": {\"candidates\": [{\"content\": {\"role\": \"model\", \"parts\": [\"…\"]}}]}}}",
            "answers in place of the model",
        ),
    ],
    exit_two: "blocks the request; stderr is the reason",
    does: "stops private keys from leaving this machine.",
    sh: r#"
if printf '%s' "$input" | grep -q -e '-----BEGIN [A-Z ]*PRIVATE KEY-----'; then
  echo "The conversation contains a private key: it was not sent." >&2
  exit 2
fi
"#,
    python: r#"
import json
import re
import sys

payload = json.load(sys.stdin)
if re.search(r"-----BEGIN [A-Z ]*PRIVATE KEY-----", json.dumps(payload["llm_request"])):
    print("The conversation contains a private key: it was not sent.", file=sys.stderr)
    sys.exit(2)
"#,
    node: r#"
function main(payload) {
  if (/-----BEGIN [A-Z ]*PRIVATE KEY-----/.test(JSON.stringify(payload.llm_request))) {
    console.error("The conversation contains a private key: it was not sent.");
    process.exitCode = 2;
  }
}
"#,
    try_also: None,
    needs_apply: false,
};

/// It adds a message to the next request and leaves the answer alone, which a first hook should.
pub(super) const AFTER_MODEL: Starter = Starter {
    name: "ask-for-short-answers",
    matcher: None,
    about: "after the model answered, before anybody sees it. They can replace the answer.",
    fields: &[
        ("llm_request", "the request: model, messages [{role, content}], config"),
        ("llm_response", "the answer: text, candidates, usageMetadata"),
    ],
    answers: &[
        (
            "{\"hookSpecificOutput\": {\"llm_response\": {\"candidates\": [{\"content\": {\"role\": \"model\", \"parts\": [\"…\"]}}]}}}",
            "replaces the answer by this text; calls of tools in it are lost",
        ),
        ("{\"systemMessage\": \"…\"}", "tells the model something in the next request"),
    ],
    exit_two: "has no effect: the answer is there already",
    does: "asks for short answers when a conversation has become expensive.",
    sh: r#"
tokens=$(printf '%s' "$input" | sed -n 's/.*"totalTokenCount":\([0-9][0-9]*\).*/\1/p')
if [ "${tokens:-0}" -gt 100000 ]; then
  printf '{"systemMessage":"This conversation takes %s tokens a call: be brief."}\n' "$tokens"
fi
"#,
    python: r#"
import json
import sys

payload = json.load(sys.stdin)
tokens = (payload["llm_response"].get("usageMetadata") or {}).get("totalTokenCount") or 0
if tokens > 100_000:
    print(json.dumps({"systemMessage": f"This conversation takes {tokens} tokens a call: be brief."}))
"#,
    node: r"
function main(payload) {
  const tokens = payload.llm_response.usageMetadata?.totalTokenCount ?? 0;
  if (tokens > 100_000) {
    console.log(JSON.stringify({ systemMessage: `This conversation takes ${tokens} tokens a call: be brief.` }));
  }
}
",
    try_also: None,
    needs_apply: false,
};
