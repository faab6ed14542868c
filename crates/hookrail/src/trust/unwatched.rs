//! What a command may run that its approval is not bound to, as far as its text tells.
//!
//! The text of `./hooks/*.sh` or `make check` does not show which files run. Such a command can be approved, and the
//! review reports it; a `watch` that names the files is better.

use super::data_files::data_files;
use super::files::ProjectDir;
use super::fingerprint::FileContent;
use super::review::Reading;
use crate::hook::Hook;

/// Programs that run what a file of the project says, without being told which.
const RUNNERS: [&str; 19] = [
    "make", "gmake", "just", "task", "rake", "npm", "npx", "yarn", "pnpm", "bun", "cargo", "go", "mvn",
    "gradle", "tox", "nox", "poetry", "uv", "docker",
];

/// Every reason why files of this hook are not watched. A hook with a `watch` has said which are.
pub(super) fn unwatched(project: &ProjectDir, hook: &Hook, reading: &Reading) -> Vec<String> {
    let mut reasons = Vec::new();
    if !hook.watch.is_empty() {
        return reasons;
    }
    let command = hook.command();
    let mut say = |holds: bool, reason: String| {
        if holds && !reasons.contains(&reason) {
            reasons.push(reason);
        }
    };
    let bare = unquoted(command);
    say(has_pattern(&bare), "its command has a pattern of file names".to_owned());
    say(has_braces(&bare), "its command has a list in braces".to_owned());
    say(bare.contains("$'"), "its command has a word in `$'…'`".to_owned());
    say(
        has_unknown_expansion(command, &hook.env),
        "its command has a variable or a command in place of a word".to_owned(),
    );
    let words: Vec<&str> = bare.split(|char: char| char.is_whitespace() || ";|&()".contains(char)).collect();
    for (index, word) in words.iter().enumerate() {
        let name = word.rsplit('/').next().unwrap_or_default();
        say(RUNNERS.contains(&name), format!("`{name}` runs what files of the project tell it to"));
        let before = words.iter().take(index).rev().find(|word| !word.starts_with('-'));
        let is_module = *word == "-m" && before.is_some_and(|program| is_python(program));
        say(is_module, "`-m` runs a module that may be a file of the project".to_owned());
        let place = project.real().join(word.trim_matches(['"', '\'']));
        let is_folder = !word.is_empty() && *word != "." && *word != "/" && place.is_dir();
        let is_entered = index > 0 && words.get(index - 1).is_some_and(|before| *before == "cd");
        say(is_folder && !is_entered && place != project.real(), format!("`{word}` is a folder"));
    }
    for data in data_files(command) {
        say(project.real().join(&data).is_file(), format!("`{data}` is handed over as data"));
    }
    for file in reading.named_files() {
        let FileContent::Text { text } = &file.content else { continue };
        let first = text.lines().next().and_then(|line| line.strip_prefix("#!")).map(str::trim);
        let relative = first.is_some_and(|line| !line.starts_with('/'));
        say(relative, format!("`{}` has an interpreter with a relative path", file.path));
        let sources = text.lines().map(str::trim_start).any(|line| {
            line.strip_prefix("source ")
                .or_else(|| line.strip_prefix(". "))
                .is_some_and(|rest| !rest.is_empty())
        });
        let is_shell = first.is_some_and(|line| line.contains("sh")) || file.path.ends_with("sh");
        say(sources && is_shell, format!("`{}` reads further scripts (`source`)", file.path));
    }
    reasons
}

fn is_python(word: &str) -> bool {
    let name = word.rsplit('/').next().unwrap_or_default();
    name.starts_with("python") || name.starts_with("pypy")
}

/// The command without what stands in quotes; `$'` stays.
fn unquoted(command: &str) -> String {
    let mut bare = String::new();
    let mut rest = command.chars();
    let mut previous = ' ';
    while let Some(char) = rest.next() {
        match char {
            '\\' => {
                rest.next();
            }
            '\'' => {
                if previous == '$' {
                    bare.push('\'');
                }
                rest.by_ref().take_while(|char| *char != '\'').for_each(drop);
            }
            '"' => {
                let mut escaped = false;
                let inside = rest.by_ref().take_while(|char| {
                    let ends = *char == '"' && !escaped;
                    escaped = *char == '\\' && !escaped;
                    !ends
                });
                bare.extend(inside.filter(|char| !"*?[{}".contains(*char)));
            }
            _ => bare.push(char),
        }
        previous = char;
    }
    bare
}

fn has_pattern(bare: &str) -> bool {
    // The programs `[` and `[[` are no patterns, and `$?` is the last exit code.
    let has_set = bare.split('[').skip(1).any(|behind| {
        let word = behind.split(char::is_whitespace).next().unwrap_or_default();
        word.find(']').is_some_and(|end| end > 0)
    });
    has_set || bare.replace("$?", "").contains(['*', '?'])
}

fn has_braces(bare: &str) -> bool {
    bare.split('{').skip(1).any(|behind| {
        let inside = behind.split('}').next().unwrap_or_default();
        behind.contains('}') && (inside.contains(',') || inside.contains("..")) && !inside.contains(' ')
    })
}

/// Whether a word comes from a variable that the hook's settings do not give, or from another command.
fn has_unknown_expansion(command: &str, env: &[(String, String)]) -> bool {
    let known = ["LLXPRT_PROJECT_DIR", "GEMINI_PROJECT_DIR", "CLAUDE_PROJECT_DIR", "PWD"];
    let mut in_single = false;
    let mut escaped = false;
    for (at, char) in command.char_indices() {
        if std::mem::take(&mut escaped) {
            continue;
        }
        match char {
            '\\' if !in_single => escaped = true,
            '\'' => in_single = !in_single,
            '`' if !in_single => return true,
            '$' if !in_single => {
                let tail = command.get(at + 1..).unwrap_or_default();
                if tail.starts_with('(') {
                    return true;
                }
                let inside = tail.strip_prefix('{').unwrap_or(tail);
                let end = inside
                    .find(|char: char| !char.is_ascii_alphanumeric() && char != '_')
                    .unwrap_or(inside.len());
                let name = inside.get(..end).unwrap_or_default();
                let is_known = known.contains(&name) || env.iter().any(|(given, _)| given == name);
                if !name.is_empty() && !is_known {
                    return true;
                }
            }
            _ => {}
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use crate::trust::tests::hook;

    #[test]
    fn what_cannot_be_told_from_a_command_is_said() {
        let dir = tempfile::tempdir().unwrap();
        fs::create_dir(dir.path().join("hooks")).unwrap();
        fs::write(dir.path().join("hooks/plain.sh"), "#!/bin/sh\nexit 0\n").unwrap();
        fs::write(dir.path().join("hooks/sourcing.sh"), "#!/bin/sh\n  . ./lib.sh\n").unwrap();
        fs::write(dir.path().join("hooks/relative.py"), "#!venv/bin/python\n").unwrap();
        fs::write(dir.path().join("package.json"), "{}").unwrap();
        let project = ProjectDir::new(dir.path());
        for (command, expected) in [
            ("./hooks/plain.sh --strict", ""),
            ("bash hooks/plain.sh 'a*b' \"c?d\" a\\*", ""),
            ("\"$LLXPRT_PROJECT_DIR/hooks/plain.sh\"", ""),
            ("cd hooks && ./plain.sh", ""),
            ("jq -e '.tool_input[\"x\"]' | grep -q '[a-z]*'", ""),
            ("./hooks/*.sh", "pattern"),
            ("bash hooks/[p]lain.sh", "pattern"),
            ("[ -f x ] && [[ -n $PWD ]]; exit $?", ""),
            ("[ -f x ]; ./hooks/*.sh; exit $?", "pattern"),
            ("./hooks/{plain,other}.sh", "braces"),
            ("bash $'hooks/\\x70lain.sh'", "$'…'"),
            ("bash $SCRIPT", "variable"),
            ("bash \"${SCRIPT:-x}\"", "variable"),
            ("bash $(ls hooks)", "variable"),
            ("bash `ls hooks`", "variable"),
            ("make check", "`make` runs"),
            ("true && /usr/bin/npm run guard", "`npm` runs"),
            ("python3 -m guard", "`-m` runs"),
            ("python3 -I -m guard", "`-m` runs"),
            ("grep -m 1 x", ""),
            ("python3 hooks", "`hooks` is a folder"),
            ("./hooks/plain.sh --config package.json", "`package.json` is handed over as data"),
            ("./hooks/plain.sh --config missing.json", ""),
            ("./hooks/sourcing.sh", "`hooks/sourcing.sh` reads further scripts"),
            ("./hooks/relative.py", "`hooks/relative.py` has an interpreter"),
        ] {
            let hook = hook(command);
            let reading = Reading::load(&project, &hook);
            let reasons = unwatched(&project, &hook, &reading).join("; ");
            assert!(
                reasons.contains(expected) && reasons.is_empty() == expected.is_empty(),
                "{command}: {reasons:?}"
            );
            let watched = Hook { watch: vec!["hooks/**".to_owned()], ..hook };
            assert_eq!(unwatched(&project, &watched, &reading), Vec::<String>::new(), "{command}: watched");
        }
    }
}
