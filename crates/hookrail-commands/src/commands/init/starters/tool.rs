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
    sh: include_str!("before_tool.sh"),
    python: include_str!("before_tool.py"),
    node: include_str!("before_tool.js"),
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
    sh: include_str!("after_tool.sh"),
    python: include_str!("after_tool.py"),
    node: include_str!("after_tool.js"),
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
    sh: include_str!("before_tool_selection.sh"),
    python: include_str!("before_tool_selection.py"),
    node: include_str!("before_tool_selection.js"),
    try_also: None,
    needs_apply: false,
};
