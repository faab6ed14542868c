//! The command of an extension's hook, made independent of where it runs: `${extensionPath}` becomes the extension's
//! folder, and a relative path that exists in the extension means the file there.

use std::path::Path;

use crate::trust::relative_words;
use hookrail_shell::{outline, single_quoted, within_single_quotes};

/// The variable that stands for the extension's folder.
const EXTENSION_PATH: &str = "${extensionPath}";

/// The command with the extension's folder put in, quoted for where it is.
pub(super) fn located(command: &str, extension: &Path) -> String {
    let mut text = command.to_owned();
    // From the back, so that places stay valid.
    for word in relative_words(command).into_iter().rev() {
        let file = extension.join(&word.text);
        if file.is_file() {
            text.replace_range(word.range, &single_quoted(&file.to_string_lossy()));
        }
    }
    let folder = extension.to_string_lossy();
    let outline = outline(&text);
    let mut located = String::with_capacity(text.len());
    let mut rest = 0;
    for (at, _) in text.match_indices(EXTENSION_PATH) {
        located.push_str(text.get(rest..at).unwrap_or_default());
        rest = at + EXTENSION_PATH.len();
        let variable = outline.variables.iter().find(|variable| variable.span == (at..rest));
        located.push_str(&match variable {
            Some(variable) if variable.is_quoted => double_quoted(&folder),
            Some(_) => single_quoted(&folder),
            None if outline.single_quoted.iter().any(|quoted| quoted.contains(&at)) => {
                within_single_quotes(&folder)
            }
            // Escaped, or in a comment: to the shell it is not a variable, and here neither.
            None => EXTENSION_PATH.to_owned(),
        });
    }
    located.push_str(text.get(rest..).unwrap_or_default());
    located
}

/// As it is written between double quotes.
fn double_quoted(text: &str) -> String {
    let escape = |char| matches!(char, '$' | '`' | '"' | '\\').then_some('\\');
    text.chars().flat_map(|char| escape(char).into_iter().chain([char])).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_extensions_command_means_its_own_files() {
        let dir = tempfile::tempdir().unwrap();
        let extension = dir.path().join("it's $HOME");
        std::fs::create_dir_all(extension.join("hooks")).unwrap();
        std::fs::write(extension.join("hooks/x.js"), "").unwrap();
        let folder = extension.display().to_string();
        let quoted = format!("'{}'", folder.replace('\'', "'\\''"));
        let file = format!("'{}/hooks/x.js'", folder.replace('\'', "'\\''"));
        for (command, expected) in [
            ("node ${extensionPath}/hooks/x.js", format!("node {quoted}/hooks/x.js")),
            (
                "node \"${extensionPath}/hooks/x.js\"",
                format!("node \"{}/hooks/x.js\"", folder.replace('$', "\\$")),
            ),
            ("node '${extensionPath}/x'", format!("node '{}/x'", folder.replace('\'', "'\\''"))),
            (
                r"echo \${extensionPath} # ${extensionPath}",
                r"echo \${extensionPath} # ${extensionPath}".to_owned(),
            ),
            ("\"$(node ${extensionPath}/x)\"", format!("\"$(node {quoted}/x)\"")),
            ("node hooks/x.js", format!("node {file}")),
            ("./hooks/x.js a && hooks/x.js", format!("{} a && {file}", file.replace("/hooks", "/./hooks"))),
            ("node hooks/missing.js", "node hooks/missing.js".to_owned()),
            ("guard --all", "guard --all".to_owned()),
        ] {
            assert_eq!(located(command, &extension), expected, "{command}");
        }
    }
}
