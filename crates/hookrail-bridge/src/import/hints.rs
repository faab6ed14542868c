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

/// A word and its meaning in each line. Names of tools, with a colon before them, count only between quotes: they are
/// everyday words.
const WORDS: &str = include_str!("hints.txt");

/// The words in a script that mean something else here, each once, where it is first.
pub fn script_hints(script: &str) -> Vec<ScriptHint> {
    let mut hints: Vec<ScriptHint> = Vec::new();
    for (at, line) in script.lines().enumerate() {
        for (word, meaning) in WORDS.lines().filter_map(|row| row.split_once(" = ")) {
            let (word, is_found) = match word.strip_prefix(':') {
                Some(tool) => (tool, stands_in(line, tool, is_quoted)),
                None => (word, stands_in(line, word, is_word)),
            };
            if is_found && hints.iter().all(|hint| hint.word != word) && hints.len() < MOST_HINTS {
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
    fn every_row_has_a_word_and_a_meaning() {
        for row in WORDS.lines().filter(|row| !row.starts_with('#')) {
            assert!(row.split_once(" = ").is_some_and(|(word, _)| !word.contains(' ')), "{row}");
        }
    }

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
