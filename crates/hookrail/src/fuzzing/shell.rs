//! Commands of hooks, and shell text.

use std::path::Path;

use super::{SEPARATOR, split};
use crate::run::fuzzing::{plain_words, quote_project_dirs};
use crate::shell::{facts_of_argv, facts_of_line, outline};

/// Any command: quotes come in pairs and only around the variables, and the words of a plain command are
/// what stands in it.
pub fn command_expansion(data: &[u8]) {
    const VARIABLES: [&str; 6] = [
        "$LLXPRT_PROJECT_DIR",
        "$GEMINI_PROJECT_DIR",
        "$CLAUDE_PROJECT_DIR",
        "${LLXPRT_PROJECT_DIR}",
        "${GEMINI_PROJECT_DIR}",
        "${CLAUDE_PROJECT_DIR}",
    ];
    let (command, directory) = split(data);
    let (command, directory) = (String::from_utf8_lossy(command), String::from_utf8_lossy(directory));
    let quoted = quote_project_dirs(&command);
    let undone = without_added_quotes(&quoted, &command, &VARIABLES);
    assert_eq!(undone.as_deref(), Some(&*command), "became {quoted:?}");
    if !VARIABLES.iter().any(|name| command.contains(name)) {
        assert_eq!(quoted, command);
    }
    if let Some(words) = plain_words(&command, Path::new(&*directory)) {
        let written = command.matches('"').count();
        assert!(written % 2 == 0 && !words.is_empty());
        assert!(
            !command.contains(['\n', ';', '&', '|', '`', '\'', '*', '~', '(', '<', '>', '\\']),
            "{command:?}"
        );
        // The directory is never looked at: it is part of a word, whatever it holds.
        let expected = plain_words(&command, Path::new("/d")).unwrap_or_default();
        assert_eq!(words.len(), expected.len(), "{command:?} in {directory:?}");
    }
}

/// Any text as a shell line, and any words as an argv: the facts are the same twice, every program is one of the
/// commands, and in single quotes any text is one word.
pub fn shell_line(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    let facts = facts_of_line(&text);
    assert_eq!(facts, facts_of_line(&text), "the same facts twice");
    for program in &facts.programs {
        let is_told = facts.commands.iter().any(|command| {
            let name = command.argv.first().and_then(Option::as_deref);
            !command.builtin && name.and_then(|name| name.rsplit('/').next()) == Some(program)
        });
        assert!(is_told, "{program:?} is no command of {text:?}");
    }
    assert!(facts.commands.iter().all(|command| !command.argv.is_empty()), "a command has a name");
    let quoted = format!("echo '{}'", text.replace('\'', "'\\''"));
    if quoted.len() < 1 << 20 && !text.contains('\0') {
        let facts = facts_of_line(&quoted);
        let argv: Vec<_> = facts.commands.iter().flat_map(|command| command.argv.iter().flatten()).collect();
        assert!(
            !facts.dynamic && facts.paths.is_empty() && argv == ["echo", &*text],
            "{quoted:?}: {facts:?}"
        );
    }
    outline_is_sound(&text);
    let argv: Vec<String> = text.split(char::from(SEPARATOR)).map(str::to_owned).collect();
    let facts = facts_of_argv(&argv);
    assert!(facts.dynamic || facts.commands.first().is_some_and(|command| command.argv.len() == argv.len()));
}

/// Everything that an outline says stands somewhere in the text, each variable at its dollar sign and once.
fn outline_is_sound(text: &str) {
    let outline = outline(text);
    for (_, word) in outline.words() {
        assert!(text.get(word.span.clone()).is_some(), "{word:?} of {text:?}");
    }
    let mut end = 0;
    for variable in &outline.variables {
        let written = text.get(variable.span.clone());
        assert!(written.is_some_and(|written| written.contains('$')), "{variable:?} of {text:?}");
        assert!(!variable.is_plain || variable.span.start >= end, "{variable:?} of {text:?} is told twice");
        end = variable.span.start + 1;
    }
    let beginning = outline.beginning();
    if beginning.is_whole {
        let spans = beginning.assignments.iter().map(|assignment| &assignment.span);
        let covered: usize =
            spans.chain(beginning.words.iter().map(|word| &word.span)).map(ExactSizeIterator::len).sum();
        let blanks = text.matches([' ', '\t']).count();
        assert!(covered <= text.len() && text.len() <= covered + blanks, "{text:?} is more than its words");
    }
}

/// What is left of a command when the quotes that were put around `variables` are taken away again; `None` where
/// something else was done to it.
fn without_added_quotes(quoted: &str, command: &str, variables: &[&str]) -> Option<String> {
    let (mut quoted, mut command, mut result) = (quoted, command, String::new());
    while let Some(next) = command.chars().next() {
        // A command goes on with `$` here and the quoted one with a quote: it must be one of ours.
        let mut length = next.len_utf8();
        if next == '$' && quoted.starts_with('"') {
            let variable = variables.iter().find(|variable| command.starts_with(**variable))?;
            length = variable.len();
            quoted = quoted.strip_prefix('"')?.strip_prefix(variable)?.strip_prefix('"')?;
        } else {
            quoted = quoted.strip_prefix(next)?;
        }
        result.push_str(command.get(..length)?);
        command = command.get(length..)?;
    }
    quoted.is_empty().then_some(result)
}
