//! What a command may run that its approval is not bound to, as far as its text shows.
//!
//! The text of `./hooks/*.sh` or `make check` does not show which files run. Such a command can be approved, and the
//! review reports it; a `watch` that names the files is better.

use super::command_words::{data_files, is_project_variable};
use super::named_files::ProjectDir;
use super::review::Reading;
use super::terms::FileContent;
use crate::hook::Hook;
use hookrail_shell::{Piece, Quote, Role, Word, is_python, outline, shebang_line};

/// Programs that run what a file of the project says, and find that file by themselves.
const RUNNERS: [&str; 19] = [
    "make", "gmake", "just", "task", "rake", "npm", "npx", "yarn", "pnpm", "bun", "cargo", "go", "mvn",
    "gradle", "tox", "nox", "poetry", "uv", "docker",
];

/// Every reason why files of this hook are not watched. A hook with a `watch` names them.
pub(super) fn unwatched(project: &ProjectDir, hook: &Hook, reading: &Reading) -> Vec<String> {
    let mut reasons = Vec::new();
    if !hook.watch.is_empty() {
        return reasons;
    }
    let command = hook.command();
    let mut add = |holds: bool, reason: String| {
        if holds && !reasons.contains(&reason) {
            reasons.push(reason);
        }
    };
    let outline = outline(command);
    let pieces = || outline.words().flat_map(|(_, word)| &word.pieces);
    // In all other places a shell takes a pattern as a text, or compares with it.
    let names_files =
        |role: Option<Role>| matches!(role, None | Some(Role::Read | Role::Written | Role::Element));
    let mut file_words = outline.words().filter(|(role, _)| names_files(*role)).map(|(_, word)| word);
    add(file_words.any(Word::is_pattern), "its command has a pattern of file names".to_owned());
    add(outline.words().any(|(_, word)| word.has_braces), "its command has a list in braces".to_owned());
    let has_ansi_c = pieces().any(|piece| matches!(piece, Piece::Text { quote: Quote::AnsiC, .. }));
    add(has_ansi_c, "its command has a word in `$'…'`".to_owned());
    add(
        pieces().any(|piece| is_unknown(piece, &hook.env)),
        "its command has a variable or a command in place of a word".to_owned(),
    );
    for command in &outline.commands {
        let words: Vec<String> =
            command.words.iter().map(|word| word.literal().unwrap_or_default()).collect();
        for (index, word) in words.iter().enumerate() {
            let name = word.rsplit('/').next().unwrap_or_default();
            // What is quoted and no program is a text, such as a pattern of `grep`.
            let may_run = index == 0 || !command.words.get(index).is_some_and(is_single_quoted);
            add(
                may_run && RUNNERS.contains(&name),
                format!("`{name}` runs what files of the project tell it to"),
            );
            let before = words.iter().take(index).rev().find(|word| !word.starts_with('-'));
            let is_module = word == "-m" && before.is_some_and(|program| is_python(program));
            add(is_module, "`-m` runs a module that may be a file of the project".to_owned());
            let place = project.real.join(word);
            let is_folder = !word.is_empty() && word != "." && word != "/" && place.is_dir();
            let is_entered = index > 0 && words.get(index - 1).is_some_and(|before| before == "cd");
            add(is_folder && !is_entered && place != project.real, format!("`{word}` is a folder"));
        }
    }
    for data in data_files(command) {
        add(project.real.join(&data).is_file(), format!("`{data}` is handed over as data"));
    }
    for file in reading.found() {
        let FileContent::Text { text } = file.content() else { continue };
        let first = shebang_line(text.as_bytes()).map(<[u8]>::trim_ascii);
        let relative = first.is_some_and(|line| !line.starts_with(b"/"));
        add(relative, format!("`{}` has an interpreter with a relative path", file.path));
        let sources = text.lines().map(str::trim_start).any(|line| {
            line.strip_prefix("source ")
                .or_else(|| line.strip_prefix(". "))
                .is_some_and(|rest| !rest.is_empty())
        });
        let is_shell =
            first.is_some_and(|line| line.windows(2).any(|pair| pair == b"sh")) || file.path.ends_with("sh");
        add(sources && is_shell, format!("`{}` reads further scripts (`source`)", file.path));
    }
    reasons
}

fn is_single_quoted(word: &Word) -> bool {
    word.pieces.iter().all(|piece| matches!(piece, Piece::Text { quote: Quote::Single, .. }))
}

/// Whether a piece comes from a variable that the hook's settings do not give, or from another command. The parameters
/// that a shell sets itself, such as `$?`, name no file.
fn is_unknown(piece: &Piece, env: &[(String, String)]) -> bool {
    match piece {
        Piece::Text { .. } => false,
        Piece::Variable { name, .. } => {
            let is_name = name.starts_with(|char: char| char.is_ascii_alphabetic() || char == '_');
            is_name && !is_project_variable(name) && !env.iter().any(|(given, _)| given == name)
        }
        Piece::Expansion => true,
    }
}

#[cfg(test)]
mod tests;
