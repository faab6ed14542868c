//! The command of an extension's hook, made independent of where it runs: `${extensionPath}` becomes the extension's
//! folder, and a relative path that exists in the extension means the file there.

use std::path::Path;

use crate::trust::relative_words;

/// The variable that stands for the extension's folder.
const EXTENSION_PATH: &str = "${extensionPath}";

/// The command with the extension's folder put in, quoted for where it stands.
pub(super) fn located(command: &str, extension: &Path) -> String {
    let mut located = String::with_capacity(command.len());
    let mut rest = command;
    // From the back, so that places stay valid.
    let mut text = command.to_owned();
    for word in relative_words(command).into_iter().rev() {
        let file = extension.join(&word.text);
        if file.is_file() {
            text.replace_range(word.range, &single_quoted(&file.to_string_lossy()));
        }
    }
    if text != command {
        rest = &text;
    }
    let folder = extension.to_string_lossy();
    while let Some((before, behind)) = rest.split_once(EXTENSION_PATH) {
        located.push_str(before);
        located.push_str(&match open_quote(&located) {
            None => single_quoted(&folder),
            Some('\'') => folder.replace('\'', "'\\''"),
            Some(_) => double_quoted(&folder),
        });
        rest = behind;
    }
    located.push_str(rest);
    located
}

/// The quote that is open at the end of a text.
fn open_quote(text: &str) -> Option<char> {
    let mut quote = None;
    let mut escaped = false;
    for char in text.chars() {
        if std::mem::take(&mut escaped) {
            continue;
        }
        match (char, quote) {
            ('\\', None | Some('"')) => escaped = true,
            ('\'' | '"', None) => quote = Some(char),
            (_, Some(open)) if open == char => quote = None,
            _ => {}
        }
    }
    quote
}

fn single_quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', "'\\''"))
}

/// As it stands between double quotes.
fn double_quoted(text: &str) -> String {
    let mut quoted = String::with_capacity(text.len());
    for char in text.chars() {
        if matches!(char, '$' | '`' | '"' | '\\') {
            quoted.push('\\');
        }
        quoted.push(char);
    }
    quoted
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
            ("node hooks/x.js", format!("node {file}")),
            ("./hooks/x.js a && hooks/x.js", format!("{} a && {file}", file.replace("/hooks", "/./hooks"))),
            ("node hooks/missing.js", "node hooks/missing.js".to_owned()),
            ("guard --all", "guard --all".to_owned()),
        ] {
            assert_eq!(located(command, &extension), expected, "{command}");
        }
    }
}
