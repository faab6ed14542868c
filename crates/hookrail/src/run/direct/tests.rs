use std::os::unix::ffi::OsStringExt as _;
use std::process::Command;

use proptest::prelude::*;

use super::super::command::quote_project_dirs;
use super::*;
use hookrail_shell::quote;

fn words(command: &str) -> Option<Vec<String>> {
    let words = plain_words(command, Path::new("/a b"), None)?;
    Some(words.into_iter().map(|word| word.into_string().unwrap()).collect())
}

#[test]
fn only_plain_words_need_no_shell() {
    for (command, expected) in [
        ("jq", &["jq"] as &[&str]),
        (
            " ./check.sh\t-x  --level=3 a,b c:d e@f g%h +i _ ",
            &["./check.sh", "-x", "--level=3", "a,b", "c:d", "e@f", "g%h", "+i", "_"],
        ),
        ("$LLXPRT_PROJECT_DIR/x.sh ${CLAUDE_PROJECT_DIR}", &["/a b/x.sh", "/a b"]),
        ("\"$GEMINI_PROJECT_DIR/x.sh\" \"\" a\"b c\"d", &["/a b/x.sh", "", "ab cd"]),
        ("./echo true", &["./echo", "true"]),
        ("$LLXPRT_PROJECT_DIR=1", &["/a b=1"]),
    ] {
        assert_eq!(words(command).unwrap(), expected, "{command}");
    }
    for command in [
        "",
        " ",
        "a;b",
        "a&",
        "a|b",
        "a>b",
        "a<b",
        "(a)",
        "{a,b}",
        "a'b'",
        "a\\b",
        "a b*",
        "a ?",
        "a [b]",
        "~/a",
        "a ~",
        "a $HOME",
        "a $LLXPRT_PROJECT_DIRS",
        "a ${LLXPRT_PROJECT_DIR%/}",
        "\"$HOME\"",
        "\"a",
        "a # b",
        "a !b",
        "a^b",
        "a`b`",
        "a\nb",
        "a=b",
        "a=b c",
        "a+=b c",
        "a=b/c",
        "cd x",
        "echo a",
        ":",
        ". a",
        "[ a ]",
        "if",
        "time a",
        "exec a",
        "%1",
        "-x",
        "+x",
        "ä",
        "a ä",
        "a\u{a0}b",
        "\"\" a",
        "a\r",
    ] {
        assert_eq!(words(command), None, "{command}");
    }
}

#[test]
fn levels_that_bash_leaves_alone() {
    for (level, expected) in [
        ("0", Some(0)),
        ("1", Some(1)),
        ("998", Some(998)),
        ("999", None),
        ("01", None),
        ("+1", None),
        ("-1", None),
        ("", None),
        (" 1", None),
        ("x", None),
        ("99999999999", None),
    ] {
        assert_eq!(parse_level(OsStr::new(level)), expected, "{level}");
    }
}

/// A folder whose name needs quotes, with a program `rec` that writes down its arguments.
fn recorder() -> tempfile::TempDir {
    let folder = tempfile::Builder::new().prefix("a b*").tempdir().unwrap();
    // Written by another process: a file that was open for writing here could not be executed while a child that another
    // test has just forked still holds the descriptor.
    let script = r#"printf '#!/bin/sh\nprintf "%%s\\0" "$@" .\n' > rec; chmod 755 rec"#;
    let status = Command::new("/bin/bash").arg("-c").arg(script).current_dir(folder.path()).status().unwrap();
    assert!(status.success());
    folder
}

/// The arguments that Bash gives to the recorder for `command`, in `directory`.
fn arguments_from_bash(command: &str, directory: &Path) -> Vec<OsString> {
    let mut bash = Command::new("/bin/bash");
    bash.arg("-c").arg(&*quote_project_dirs(command)).current_dir(directory);
    bash.env_clear().env("PATH", directory).env("HOME", "/home/me");
    for name in PROJECT_DIR_VARIABLES {
        bash.env(name, directory);
    }
    let output = bash.output().unwrap();
    assert_eq!(String::from_utf8_lossy(&output.stderr), "", "{command:?}");
    let mut words: Vec<OsString> =
        output.stdout.split(|byte| *byte == 0).map(|word| OsString::from_vec(word.to_vec())).collect();
    assert_eq!(words.pop(), Some(OsString::new()), "{command:?} ends in a NUL");
    assert_eq!(words.pop(), Some(OsString::from(".")), "{command:?} was recorded");
    words
}

fn check_against_bash(command: &str, folder: &Path) {
    let Some(words) = plain_words(command, folder, Some("/home/me")) else { return };
    let mut words = words.into_iter();
    let program = words.next().unwrap();
    let found = [OsString::from("rec"), "./rec".into(), folder.join("rec").into_os_string()];
    assert!(found.contains(&program), "{command:?} starts {}", program.display());
    assert_eq!(words.collect::<Vec<_>>(), arguments_from_bash(command, folder), "{command:?}");
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 128, ..ProptestConfig::default() })]

    /// Lines that need no shell.
    #[test]
    fn plain_lines_are_read_as_bash_reads_them(
        program in "rec|\\./rec|\"rec\"|r\"e\"c|\\$LLXPRT_PROJECT_DIR/rec|\"\\$\\{CLAUDE_PROJECT_DIR\\}/rec\"",
        arguments in proptest::collection::vec(
            "([a-z0-9_./:,@%+=-]|\"[a-z =:.]{0,4}\"|\\$GEMINI_PROJECT_DIR|\"\\$\\{LLXPRT_PROJECT_DIR\\} \"){1,6}|~/[a-z]{0,3}", 0..6),
        blanks in "[ \t]{1,3}",
    ) {
        let command = format!("{program}{blanks}{}", arguments.join(&blanks));
        prop_assert!(
            plain_words(&command, Path::new("/"), Some("/home/me")).is_some() || has_longer_name(&command),
            "{command:?} needs no shell"
        );
        check_against_bash(&command, recorder().path());
    }

    /// Any texts, written as words.
    #[test]
    fn quoted_texts_arrive_as_they_were(
        texts in proptest::collection::vec("[^\\x00]{0,6}|[ -~]{0,6}|[a-z/._:,@%+=~-]{0,6}", 0..6),
    ) {
        let words: Vec<String> = texts.iter().map(|text| quote(text)).collect();
        let arguments = arguments_from_bash(&format!("rec {}", words.join(" ")), recorder().path());
        prop_assert_eq!(arguments, texts.iter().map(OsString::from).collect::<Vec<_>>());
    }

    /// Any line at all: what is taken for plain is what Bash makes of it.
    #[test]
    fn what_is_taken_for_plain_is_plain(
        rest in "([a-z =~/.:,@%+-]|\"|[$'\\\\*?\\[\\]{}#!;&|<>()^`\r\n]|\\$\"|\\$\\{?LLXPRT_PROJECT_DIR\\}?|\\$\\(\\(){0,12}",
    ) {
        for command in [format!("rec {rest}"), format!("rec{rest}"), format!("\"rec\" \"{rest}\"")] {
            let Some(words) = plain_words(&command, Path::new("/"), Some("/home/me")) else { continue };
            if words.first().is_some_and(|word| word == "rec") {
                check_against_bash(&command, recorder().path());
            }
        }
    }
}

/// Whether a letter behind a variable makes it another one.
fn has_longer_name(command: &str) -> bool {
    command
        .split("$GEMINI_PROJECT_DIR")
        .skip(1)
        .any(|rest| rest.starts_with(|next: char| next.is_ascii_alphanumeric() || next == '_'))
}
