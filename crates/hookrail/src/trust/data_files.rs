//! Files that a command hands to a program as data: `--config package.json`. An approval is not bound to them, because
//! they change for other reasons than the hook; the review says so.

use std::collections::BTreeSet;

/// What the names of data files end with. Interpreters run none of them by accident.
const EXTENSIONS: [&str; 13] =
    ["json", "jsonc", "json5", "yaml", "yml", "toml", "ini", "cfg", "conf", "txt", "md", "lock", "xml"];

/// Options whose value is run all the same.
const RUN: [&str; 8] =
    ["--rcfile", "--init-file", "--require", "--import", "--loader", "--file", "--script", "--eval"];

/// The words of a command that stand behind a long option and name data, and nowhere else.
pub(super) fn data_files(command: &str) -> BTreeSet<String> {
    let words: Vec<&str> = command
        .split(|char: char| char.is_whitespace() || ";|&()<>".contains(char))
        .filter(|word| !word.is_empty())
        .map(|word| word.trim_matches(['"', '\'']))
        .collect();
    let mut data = BTreeSet::new();
    let mut others = BTreeSet::new();
    for (index, word) in words.iter().enumerate() {
        if let Some((option, value)) = word.split_once('=').filter(|(option, _)| option.starts_with("--")) {
            if is_data(option, value) {
                data.insert(value.to_owned())
            } else {
                others.insert(value.to_owned())
            };
            continue;
        }
        let before = index.checked_sub(1).and_then(|before| words.get(before)).copied().unwrap_or_default();
        let is_value = before.starts_with("--") && !before.contains('=') && is_data(before, word);
        if is_value {
            data.insert((*word).to_owned())
        } else {
            others.insert((*word).to_owned())
        };
    }
    data.difference(&others).cloned().collect()
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
        ] {
            assert_eq!(data_files(command).into_iter().collect::<Vec<_>>().join(" "), expected, "{command}");
        }
    }
}
