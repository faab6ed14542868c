//! Starters around tools.
//!
//! The first one is what `hookrail init` writes when nothing is named, so it has to be useful in any project.
//!
//! The three versions of a script decide alike. The shell one looks at the text of the payload, which is one line of
//! JSON; the others parse it.

use super::Starter;

/// Its matcher names the tools that write files; the command line can do the same, which a rule sees and a look at
/// `file_path` does not.
pub(super) const BEFORE_TOOL: Starter = Starter {
    name: "protect-env-files",
    matcher: Some("write_file|replace"),
    about: "before a tool runs. They can block the call or change its arguments.",
    fields: &[
        ("tool_name", "which tool, such as write_file"),
        ("tool_input", "its arguments, such as file_path and content"),
    ],
    answers: &[
        ("{\"decision\": \"deny\", \"reason\": \"…\"}", "blocks the call; the model reads the reason"),
        (
            "{\"hookSpecificOutput\": {\"tool_input\": {\"file_path\": \"…\"}}}",
            "changes these arguments, keeps the others",
        ),
        ("{\"systemMessage\": \"…\"}", "tells the model something"),
    ],
    exit_two: "blocks the call; stderr is the reason",
    does: "blocks writes to .env files.",
    sh: r#"
# The payload is one line of JSON. A look at its text is good enough for a start.
if printf '%s' "$input" | grep -Eq '"file_path":"([^"]*/)?\.env(\.[^"/]*)?"'; then
  echo "Files named .env hold secrets: ask the user to change them." >&2
  exit 2
fi
"#,
    python: r#"
import json
import os.path
import sys

payload = json.load(sys.stdin)
name = os.path.basename(str(payload["tool_input"].get("file_path", "")))
if name == ".env" or name.startswith(".env."):
    print("Files named .env hold secrets: ask the user to change them.", file=sys.stderr)
    sys.exit(2)
"#,
    node: r#"
function main(payload) {
  const name = String(payload.tool_input.file_path ?? "").split("/").pop();
  if (name === ".env" || name.startsWith(".env.")) {
    console.error("Files named .env hold secrets: ask the user to change them.");
    process.exitCode = 2;
  }
}
"#,
    try_also: Some((
        "See it block",
        "--tool write_file --input '{\"file_path\":\".env\",\"content\":\"KEY=1\"}'",
    )),
    needs_apply: false,
};

/// Shows context that is added to a tool's result.
pub(super) const AFTER_TOOL: Starter = Starter {
    name: "remind-of-tests",
    matcher: Some("write_file|replace"),
    about: "after a tool ran, before the model sees the result. They can add to the result.",
    fields: &[
        ("tool_name", "which tool, such as write_file"),
        ("tool_input", "its arguments, such as file_path and content"),
        ("tool_response", "its result: llmContent, returnDisplay"),
    ],
    answers: &[
        (
            "{\"hookSpecificOutput\": {\"additionalContext\": \"…\"}}",
            "adds text to what the model reads of the result",
        ),
        ("{\"suppressOutput\": true}", "hides the result from the user"),
        ("{\"systemMessage\": \"…\"}", "tells the model something"),
    ],
    exit_two: "has no effect: the tool has run already",
    does: "reminds the model of the tests when a file was changed.",
    sh: r#"
# What `field` finds can go into JSON as it is.
file=$(field file_path)
printf '{"hookSpecificOutput":{"hookEventName":"AfterTool","additionalContext":"%s"}}\n' \
  "You changed ${file:-a file}: run the tests before you finish."
"#,
    python: r#"
import json
import sys

payload = json.load(sys.stdin)
file = payload["tool_input"].get("file_path", "a file")
print(json.dumps({
    "hookSpecificOutput": {
        "hookEventName": "AfterTool",
        "additionalContext": f"You changed {file}: run the tests before you finish.",
    }
}))
"#,
    node: r#"
function main(payload) {
  const file = payload.tool_input.file_path ?? "a file";
  console.log(JSON.stringify({
    hookSpecificOutput: {
      hookEventName: "AfterTool",
      additionalContext: `You changed ${file}: run the tests before you finish.`,
    },
  }));
}
"#,
    try_also: None,
    needs_apply: false,
};

/// Shows how the list of tools is narrowed before the model sees it.
pub(super) const BEFORE_TOOL_SELECTION: Starter = Starter {
    name: "read-only-mode",
    matcher: None,
    about: "before a model call that offers tools. They can narrow the choice.",
    fields: &[("llm_request", "the request: model, messages, config, toolConfig")],
    answers: &[
        (
            "{\"hookSpecificOutput\": {\"toolConfig\": {\"mode\": \"AUTO\", \"allowedFunctionNames\": [\"…\"]}}}",
            "allows these tools only; the lists of several hooks are united",
        ),
        (
            "{\"hookSpecificOutput\": {\"toolConfig\": {\"mode\": \"NONE\"}}}",
            "allows no tool at all; wins over every list",
        ),
    ],
    exit_two: "has no effect: tools are blocked by BeforeTool",
    does: "makes the agent read-only while HOOK_READ_ONLY=1 is in its environment.",
    sh: r#"
if [ "${HOOK_READ_ONLY:-0}" = 1 ]; then
  printf '%s\n' '{"hookSpecificOutput":{"hookEventName":"BeforeToolSelection","toolConfig":{"mode":"AUTO","allowedFunctionNames":["read_file","list_directory","glob","search_file_content"]}}}'
fi
"#,
    python: r#"
import json
import os
import sys

payload = json.load(sys.stdin)
if os.environ.get("HOOK_READ_ONLY") == "1":
    print(json.dumps({
        "hookSpecificOutput": {
            "hookEventName": "BeforeToolSelection",
            "toolConfig": {
                "mode": "AUTO",
                "allowedFunctionNames": ["read_file", "list_directory", "glob", "search_file_content"],
            },
        }
    }))
"#,
    node: r#"
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
"#,
    try_also: None,
    needs_apply: false,
};
