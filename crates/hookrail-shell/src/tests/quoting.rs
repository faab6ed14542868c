//! However the words of a command are quoted, its facts stay the same.

use proptest::prelude::*;

use super::super::{facts_of_line, quote, single_quoted};

/// One way to write one character of a word.
fn written(character: char, how: u8, next: Option<char>) -> String {
    let is_safe = |c: char| c.is_ascii_alphanumeric() || matches!(c, '/' | '.' | '-' | '_');
    match how % 8 {
        0 if is_safe(character) => character.to_string(),
        1 if character != '\n' => format!("\\{character}"),
        2 if character != '\'' => format!("'{character}'"),
        3 => match character {
            '"' | '\\' | '$' | '`' => format!("\"\\{character}\""),
            // A history expansion is off in a shell that is not interactive.
            _ => format!("\"{character}\""),
        },
        4 if character.is_ascii() => format!("$'\\x{:02x}'", u32::from(character)),
        5 if character.is_ascii() => format!("$'\\{:03o}'", u32::from(character)),
        6 => format!("$'\\U{:08x}'", u32::from(character)),
        7 if is_safe(character) && next.is_some() => format!("''{character}\"\"\\\n"),
        _ if character == '\'' => "\\'".to_owned(),
        _ => format!("'{character}'"),
    }
}

fn quoted(word: &str, how: &[u8]) -> String {
    if word.is_empty() {
        return if how.first().is_some_and(|how| how % 2 == 0) { "''".to_owned() } else { "\"\"".to_owned() };
    }
    let chars: Vec<char> = word.chars().collect();
    let how = |at: usize| how.get(at % how.len().max(1)).copied().unwrap_or(2);
    chars
        .iter()
        .enumerate()
        .map(|(at, character)| written(*character, how(at), chars.get(at + 1).copied()))
        .collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(512))]

    #[test]
    fn quoting_changes_nothing(
        program in prop::sample::select(vec!["rm", "/bin/rm", "git", "sudo", "cp", "echo", "xargs", "env"]),
        args in prop::collection::vec("[ -~é\n]{0,8}", 0..4),
        how in prop::collection::vec(any::<u8>(), 1..12),
        other in prop::collection::vec(any::<u8>(), 1..12),
    ) {
        // A word in single quotes has one reading only.
        let plain: Vec<String> = std::iter::once(program.to_owned())
            .chain(args.iter().cloned())
            .map(|word| single_quoted(&word))
            .collect();
        let expected = facts_of_line(&plain.join(" "));
        let shortest: Vec<String> = std::iter::once(program).chain(args.iter().map(String::as_str)).map(quote).collect();
        prop_assert_eq!(&facts_of_line(&shortest.join(" ")), &expected, "{:?}", shortest);
        for how in [&how, &other] {
            let words: Vec<String> = std::iter::once(program)
                .chain(args.iter().map(String::as_str))
                .map(|word| quoted(word, how))
                .collect();
            let line = words.join(" ");
            prop_assert_eq!(&facts_of_line(&line), &expected, "{}", line);
        }
        let argv: Vec<Option<String>> =
            std::iter::once(program.to_owned()).chain(args.iter().cloned()).map(Some).collect();
        prop_assert_eq!(&expected.commands[0].argv, &argv);
    }
}
