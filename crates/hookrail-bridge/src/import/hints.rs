//! What in a hook's script was written for another agent and means something else here.
//!
//! It is a list of words and no analysis of programs: a hint may be about a comment. A superfluous hint is acceptable; an
//! overlooked word leaves a hook that reads nothing.

/// A word in a script that means something else here.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ScriptHint {
    /// Its line, counted from 1.
    pub line: usize,
    /// A name of a field, an event, a variable or a tool.
    pub word: &'static str,
    /// What it is called here, or that it has no counterpart.
    pub meaning: &'static str,
}

/// How many hints a script gets at most; the first ones show what kind of script it is.
const MOST_HINTS: usize = 100;

/// Words, and what they mean here.
const WORDS: &[(&str, &str)] = &[
    (
        "updatedInput",
        "here `hookSpecificOutput.tool_input`, merged key by key instead of replacing all arguments",
    ),
    (
        "modifiedArgs",
        "here `hookSpecificOutput.tool_input`, merged key by key instead of replacing all arguments",
    ),
    (
        "updated_input",
        "here `hookSpecificOutput.tool_input`, merged key by key instead of replacing all arguments",
    ),
    ("updatedToolOutput", "here `hookSpecificOutput.tool_response` with `llmContent`"),
    ("updatedMCPToolOutput", "here `hookSpecificOutput.tool_response` with `llmContent`"),
    ("modifiedResult", "here `hookSpecificOutput.tool_response` with `llmContent`"),
    ("permissionDecision", "understood inside `hookSpecificOutput` as deny, ask and allow; `defer` is not"),
    ("permissionDecisionReason", "understood inside `hookSpecificOutput`"),
    ("systemMessage", "here for the model; elsewhere it is shown to the user"),
    ("behavior", "answers of permission requests have no effect here"),
    ("last_assistant_message", "here `prompt_response`"),
    ("transcript_path", "here the path of another kind of file"),
    ("toolName", "here `tool_name`"),
    ("toolArgs", "here `tool_input`, an object"),
    ("toolResult", "here `tool_response`"),
    ("sessionId", "here `session_id`"),
    ("filePath", "here `file_path`"),
    ("file_text", "here `content`"),
    ("old_str", "here `old_string`"),
    ("new_str", "here `new_string`"),
    ("timeoutSec", "timeouts are in milliseconds here, in `timeout`"),
    ("PreToolUse", "here the event is `BeforeTool`"),
    ("PostToolUse", "here the event is `AfterTool`"),
    ("PostToolUseFailure", "here the event is `AfterTool`, with `tool_response.error`"),
    ("UserPromptSubmit", "here the event is `BeforeAgent`"),
    ("SubagentStop", "there is no event for subagents here"),
    ("PreCompact", "here the event is `PreCompress`, which cannot be blocked"),
    ("stop_hook_active", "the same here, at `AfterAgent`"),
    ("CLAUDE_PLUGIN_ROOT", "not set here"),
    ("CLAUDE_ENV_FILE", "not set here"),
];

/// Names of tools, which count only between quotes: they are everyday words.
const TOOLS: &[(&str, &str)] = &[
    ("Bash", "here the tool is `run_shell_command`"),
    ("bash", "here the tool is `run_shell_command`"),
    ("Write", "here the tool is `write_file`"),
    ("Edit", "here the tool is `replace`"),
    ("MultiEdit", "here the tool is `replace`"),
    ("NotebookEdit", "here the tool is `replace`"),
    ("Read", "here the tool is `read_file`"),
    ("Glob", "here the tool is `glob`"),
    ("Grep", "here the tool is `search_file_content`"),
    ("grep_search", "here the tool is `search_file_content`"),
    ("WebFetch", "here the tool is `web_fetch`"),
    ("view", "here the tool is `read_file`"),
    ("create", "here the tool is `write_file`"),
    ("edit", "here the tool is `replace`"),
];

/// The words in a script that mean something else here, each once, where it is first.
pub fn script_hints(script: &str) -> Vec<ScriptHint> {
    let mut hints: Vec<ScriptHint> = Vec::new();
    for (at, line) in script.lines().enumerate() {
        let words = WORDS.iter().filter(|(word, _)| stands_in(line, word, is_word));
        let tools = TOOLS.iter().filter(|(word, _)| stands_in(line, word, is_quoted));
        for (word, meaning) in words.chain(tools) {
            if hints.iter().all(|hint| hint.word != *word) && hints.len() < MOST_HINTS {
                hints.push(ScriptHint { line: at + 1, word, meaning });
            }
        }
    }
    hints
}

/// Whether a word is in a line with signs around it, or the line's ends, that make it one.
fn stands_in(line: &str, word: &str, is_alone: fn(Option<char>, Option<char>) -> bool) -> bool {
    line.match_indices(word).any(|(at, _)| {
        let before = line.get(..at).and_then(|before| before.chars().next_back());
        let after = line.get(at + word.len()..).and_then(|after| after.chars().next());
        is_alone(before, after)
    })
}

/// A word that is part of a longer one is another word.
fn is_word(before: Option<char>, after: Option<char>) -> bool {
    let is_border = |sign: Option<char>| sign.is_none_or(|sign| !sign.is_alphanumeric() && sign != '_');
    is_border(before) && is_border(after)
}

/// Between quotes, or between the signs that stand around names in shell patterns and regular expressions.
fn is_quoted(before: Option<char>, after: Option<char>) -> bool {
    let is_sign = |sign: Option<char>| sign.is_some_and(|sign| "\"'|()^$".contains(sign));
    let opens_case = before.is_some_and(char::is_whitespace) && matches!(after, Some('|' | ')'));
    (is_sign(before) && is_sign(after)) || opens_case
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_found_where_they_stand() {
        let script = "#!/bin/bash\ninput=$(cat)\ntool=$(jq -r .tool_name <<< \"$input\")\n\
            if [ \"$tool\" = \"Bash\" ]; then\n  echo '{\"hookSpecificOutput\": {\"updatedInput\": {}}}'\nfi\n\
            case $tool in Write|Edit) ;; esac\n# Read the file, then edit it.\n";
        let found: Vec<(usize, &str)> =
            script_hints(script).iter().map(|hint| (hint.line, hint.word)).collect();
        assert_eq!(found, [(4, "Bash"), (5, "updatedInput"), (7, "Write"), (7, "Edit")]);
        assert_eq!(script_hints("^(Write|Edit)$").len(), 2);
    }

    #[test]
    fn a_script_for_us_has_no_hints() {
        let script = "jq -r .tool_input.command | grep -q rm && { echo no >&2; exit 2; }\n";
        assert_eq!(script_hints(script), []);
    }

    #[test]
    fn a_longer_word_is_another_word() {
        let words: Vec<&str> =
            script_hints("PostToolUseFailure\nmyPreToolUse\n").iter().map(|hint| hint.word).collect();
        assert_eq!(words, ["PostToolUseFailure"]);
    }
}
