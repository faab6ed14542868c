//! Files that a command hands to a program as data: `--config package.json`. An approval is not bound to them, because
//! they change for other reasons than the hook; the review says so.

use std::collections::BTreeSet;

use hookrail_shell::{Piece, Word, outline};

/// What the names of data files end with. Interpreters run none of them by accident.
const EXTENSIONS: [&str; 13] =
    ["json", "jsonc", "json5", "yaml", "yml", "toml", "ini", "cfg", "conf", "txt", "md", "lock", "xml"];

/// Options whose value is run all the same.
const RUN: [&str; 8] =
    ["--rcfile", "--init-file", "--require", "--import", "--loader", "--file", "--script", "--eval"];

/// The words of a command that stand behind a long option and name data, and nowhere else.
pub(super) fn data_files(command: &str) -> BTreeSet<String> {
    let outline = outline(command);
    let mut data = BTreeSet::new();
    let mut others = BTreeSet::new();
    for command in &outline.commands {
        let mut before = String::new();
        for word in &command.words {
            let Some(text) = word.literal() else {
                others.extend(names_in(&all_text(word)));
                before.clear();
                continue;
            };
            let glued = text.split_once('=').filter(|(option, _)| option.starts_with("--"));
            let (option, value) = glued.unwrap_or((before.as_str(), text.as_str()));
            if option.starts_with("--") && !option.contains('=') && is_data(option, value) {
                data.insert(value.to_owned());
            } else {
                others.extend(names_in(value));
            }
            before = text;
        }
        let values = command.assignments.iter().map(|assignment| &assignment.value);
        let redirected = command.redirections.iter().map(|(_, word)| word);
        others.extend(values.chain(redirected).flat_map(|word| names_in(&all_text(word))));
    }
    others.extend(outline.others.iter().flat_map(|(_, word)| names_in(&all_text(word))));
    data.difference(&others).cloned().collect()
}

/// The text of a word without what is expanded in it.
fn all_text(word: &Word) -> String {
    let texts = word.pieces.iter().map(|piece| match piece {
        Piece::Text { text, .. } => text.as_str(),
        Piece::Variable { .. } | Piece::Expansion => " ",
    });
    texts.collect()
}

/// A text, and the names in it if it is code: what stands there is no data.
fn names_in(text: &str) -> Vec<String> {
    let inside = text.split(|char: char| char.is_whitespace() || ";|&()<>".contains(char));
    let inside = inside.map(|name| name.trim_matches(['"', '\'']).to_owned());
    inside.chain([text.to_owned()]).filter(|name| !name.is_empty()).collect()
}

fn is_data(option: &str, value: &str) -> bool {
    let extension = value.rsplit_once('.').map_or("", |(_, extension)| extension);
    !RUN.contains(&option) && EXTENSIONS.contains(&extension.to_lowercase().as_str())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_values_of_options_are_data() {
        for (command, expected) in [
            ("./x.sh --config package.json", "package.json"),
            ("./x.sh --config=conf/rules.yaml --strict", "conf/rules.yaml"),
            ("lint --config 'a.toml' && ./x.sh", "a.toml"),
            ("bash rules.txt", ""),
            ("bash --rcfile x.txt", ""),
            ("node --require x.json", ""),
            ("./x.sh -c package.json", ""),
            ("./x.sh --config guard.py", ""),
            ("cat rules.json | ./x.sh --config rules.json", ""),
            ("bash --posix x.sh", ""),
            ("./x.sh --config rules.json < rules.json", ""),
            ("bash -c 'sh rules.json' --config rules.json", ""),
            ("echo $(./x.sh --config rules.json)", "rules.json"),
            ("./x.sh --config \"a b.json\"", "a b.json"),
        ] {
            assert_eq!(data_files(command).into_iter().collect::<Vec<_>>().join(" "), expected, "{command}");
        }
    }
}
