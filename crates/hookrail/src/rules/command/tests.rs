mod cases;

use hookrail_shell::{CommandWords, base_name};
use proptest::prelude::*;

use self::cases::CASES;
use super::CommandPattern;
use crate::rules::glob::Initials;
use crate::rules::truth::Truth::{self, No, Unknown, Yes};

/// Words by blanks; `$X` cannot be determined.
fn holds(pattern: &str, command: &str) -> Truth {
    let argv: Vec<Option<String>> =
        command.split_whitespace().map(|word| (!word.contains('$')).then(|| word.to_owned())).collect();
    let words = CommandWords::read(&argv);
    CommandPattern::compile(pattern).unwrap().matches(argv[0].as_deref(), false, || &words)
}

#[test]
fn patterns_hold_for_what_they_say() {
    for (pattern, yes, no, unknown) in CASES {
        for (expected, commands) in [(Yes, yes), (No, no), (Unknown, unknown)] {
            for command in *commands {
                assert_eq!(holds(pattern, command), expected, "`{pattern}` and `{command}`");
            }
        }
    }
}

/// A pattern that a first letter rules out would not have held.
#[test]
fn a_program_that_a_pattern_accepts_begins_like_it() {
    let mut accepted = 0;
    for pattern in [
        "git push",
        "{Curl,wget} x",
        "*sh -c",
        "[ab]c x",
        "./run x",
        "[ x",
        "éa x",
        "7z a",
        "mkfs* x",
        "\\git x",
        "?it push",
        "kelvin x",
        "/usr/bin/git x",
    ] {
        let pattern = CommandPattern::compile(pattern).unwrap();
        for program in [
            "git",
            "Git",
            "/usr/bin/git",
            "curl",
            "Curl",
            "/x/wget",
            "bash",
            "ac",
            "./run",
            "run",
            "[",
            "éa",
            "/opt/éa",
            "7z",
            "mkfs.ext4",
            "\u{212a}elvin",
            "",
        ] {
            let initials = Initials::of(program).or(Initials::of(base_name(program)));
            for ignore_case in [false, true] {
                let accepts = pattern.accepts_program(Some(program), ignore_case);
                accepted += usize::from(accepts);
                assert!(!accepts || pattern.initials.meet(initials), "{pattern:?} and {program}");
            }
        }
    }
    assert!(accepted > 30, "{accepted}");
    assert!(!CommandPattern::compile("git x").unwrap().initials.meet(Initials::of("curl")));
}

#[test]
fn what_is_no_pattern_is_refused() {
    for (pattern, part) in [
        ("", "no words"),
        ("  ", "no words"),
        ("... x", "program"),
        ("-f x", "program"),
        ("rm [a", "not a glob"),
        ("rm -X {a,b", "not a glob"),
    ] {
        let problem = CommandPattern::compile(pattern).unwrap_err();
        assert!(problem.contains(part), "`{pattern}`: {problem}");
    }
    assert!(CommandPattern::compile(&"a ".repeat(100)).is_err());
    for (pattern, part) in [
        ("curl x | sh", "`|`"),
        ("git push; ls", "`push;`"),
        ("echo 2>f", "redirection"),
        ("A=b git push", "sets a variable"),
    ] {
        let problem = CommandPattern::contradiction(pattern).unwrap();
        assert!(problem.contains(part), "`{pattern}`: {problem}");
    }
    for pattern in ["git push --force", "dd of=/dev/*", "find ... -exec rm {} \\;"] {
        assert_eq!(CommandPattern::contradiction(pattern), None, "{pattern}");
    }
    assert!(CommandPattern::doubt("git commit -m \"fix\"").unwrap().contains("quotes"));
    assert_eq!(CommandPattern::doubt("git push --force"), None);
}

#[test]
fn a_long_command_takes_little_time() {
    let command = format!("rm {}", "a ".repeat(100_000));
    assert_eq!(holds("rm ... x ... y ... z", &command), No);
    assert_eq!(holds("rm -f", &format!("rm -{}", "r".repeat(100_000))), No);
}

/// A command of words that are, by and large, those of the patterns.
fn words() -> impl Strategy<Value = Vec<Option<String>>> {
    let word = prop_oneof![
        8 => proptest::sample::select(vec!["push", "-f", "--force", "--", "-C", "x", "a=b", "stash", "-", "--forc", "-uf"]).prop_map(|word| Some(word.to_owned())),
        1 => ".{0,6}".prop_map(Some),
        1 => Just(None),
    ];
    proptest::collection::vec(word, 0..8)
}

proptest! {
    /// A word that cannot be determined makes nothing certain: whatever it turns out to be, a `Yes` stays, and a `No` too.
    #[test]
    fn what_is_certain_stays_so_when_a_word_becomes_known(
        words in words(),
        at in any::<proptest::sample::Index>(),
        filled in proptest::sample::select(vec![vec![], vec!["push"], vec!["x"], vec!["push", "-f"], vec!["-f"], vec!["/etc/x", "y"]]),
        program in proptest::sample::select(vec!["git", "rm", "mytool"]),
        pattern in proptest::sample::select(vec!["git push", "git push --force", "git push x", "rm ... /etc/*", "rm -f", "mytool push", "mytool -f"]),
    ) {
        let mut argv = vec![Some(program.to_owned())];
        argv.extend(words);
        let hole = 1 + at.index(argv.len());
        let filled: Vec<_> = filled.into_iter().map(|word| Some(word.to_owned())).collect();
        let mut with_hole = argv.clone();
        with_hole.insert(hole.min(argv.len()), None);
        let mut with_words = argv.clone();
        with_words.splice(hole.min(argv.len())..hole.min(argv.len()), filled);
        let verdict = |argv: &[Option<String>]| {
            let read = CommandWords::read(argv);
            CommandPattern::compile(pattern).unwrap().matches(argv[0].as_deref(), false, || &read)
        };
        let before = verdict(&with_hole);
        // A flag before the hole may take the word behind it instead, or `--` may be hidden in it; those two are
        // beyond what is promised.
        let flag_before = with_hole.get(hole.min(argv.len()) - 1).and_then(Option::as_deref).is_some_and(|word| word.starts_with('-'));
        if before == No && !flag_before {
            prop_assert_ne!(verdict(&with_words), Yes, "{:?} {:?}", with_hole, with_words);
        }
    }

    #[test]
    fn any_text_is_a_pattern_or_a_problem(pattern in ".{0,30}", command in "[a-z$ =*-]{1,30}") {
        if let Ok(pattern) = CommandPattern::compile(&pattern) {
            let argv: Vec<_> = command.split(' ').map(|word| Some(word.to_owned())).collect();
            let words = CommandWords::read(&argv);
            let _ = pattern.matches(argv[0].as_deref(), true, || &words);
        }
    }
}
