//! The project-directory variables inside a command's text.
//!
//! Every hook finds these variables in its environment with exactly the value that they have in its
//! command, so the shell itself expands them correctly in double quotes, here-documents and nested shells,
//! and rightly not at all in single quotes. The one place where it would do too much is outside of quotes:
//! there it splits the directory's name at blanks and takes `*` in it for a pattern. So only those
//! occurrences are put into double quotes. The name of the directory never becomes shell text, which is why
//! none can be dangerous, and the text is the same for every directory.
//!
//! The one shell reader finds where the variables are and which of them are quoted. If it reads a
//! command differently from the shell, the quotes that are added still come in pairs, and at worst a name is split at its
//! blanks.

use std::borrow::Cow;

use crate::hook::PROJECT_DIR_VARIABLES;
use hookrail_shell::outline;

/// Puts every unquoted project-directory variable of a command into double quotes.
pub(crate) fn quote_project_dirs(command: &str) -> Cow<'_, str> {
    if !PROJECT_DIR_VARIABLES.iter().any(|name| command.contains(name)) {
        return Cow::Borrowed(command);
    }
    let mut quoted = String::with_capacity(command.len() + 16);
    let mut rest = 0;
    for variable in outline(command).variables {
        let is_split = variable.is_plain && !variable.is_quoted;
        if !is_split || !PROJECT_DIR_VARIABLES.contains(&variable.name.as_str()) {
            continue;
        }
        let (Some(before), Some(written)) =
            (command.get(rest..variable.span.start), command.get(variable.span.clone()))
        else {
            continue;
        };
        if !is_written_plainly(written, &variable.name) {
            continue;
        }
        quoted.push_str(before);
        quoted.push('"');
        quoted.push_str(written);
        quoted.push('"');
        rest = variable.span.end;
    }
    quoted.push_str(command.get(rest..).unwrap_or_default());
    Cow::Owned(quoted)
}

/// Whether a variable is written as `$name` or `${name}`. In backticks the dollar sign can be escaped and a line can end
/// in the middle of a name; quotes around that would mean something else.
fn is_written_plainly(written: &str, name: &str) -> bool {
    let bare = written.strip_prefix('$').unwrap_or_default();
    bare == name || bare.strip_prefix('{').and_then(|bare| bare.strip_suffix('}')) == Some(name)
}

#[cfg(test)]
mod tests;
