use proptest::prelude::*;

use super::{Glob, GlobKind};

fn path(glob: &str, text: &str) -> bool {
    Glob::compile(glob, GlobKind::Path).unwrap().is_match(text, false)
}

#[test]
fn in_paths_one_star_stops_at_a_slash() {
    for (glob, matching, other) in [
        (".env", vec![".env"], vec!["a/.env", ".env.local", ""]),
        ("src/*.rs", vec!["src/a.rs", "src/.rs"], vec!["src/a/b.rs", "src/a.rst"]),
        ("src/**", vec!["src/a", "src/a/b", "src/"], vec!["src", "srcs/a"]),
        ("**/.env", vec![".env", "a/.env", "a/b/.env"], vec!["a.env", "a/b.env", ".env/x"]),
        ("**/*.pem", vec!["x.pem", "a/x.pem", "/etc/ssl/x.pem"], vec!["x.pem/y"]),
        ("a/**/z", vec!["a/z", "a/b/z", "a/b/c/z"], vec!["az", "a/bz", "b/z"]),
        ("/etc/**", vec!["/etc/passwd", "/etc/a/b"], vec!["etc/passwd"]),
        ("?.rs", vec!["a.rs", "é.rs"], vec!["/.rs", "ab.rs"]),
        ("[!a]x", vec!["bx"], vec!["ax", "/x"]),
        ("[a-c-]", vec!["b", "-"], vec!["d"]),
        ("[]]", vec!["]"], vec!["["]),
        ("\\*", vec!["*"], vec!["a"]),
        ("*.{pem,key}", vec!["a.pem", "a.key"], vec!["a.p"]),
        ("**", vec!["", "a", "a/b"], vec![]),
    ] {
        for text in matching {
            assert!(path(glob, text), "`{glob}` and `{text}`");
        }
        for text in other {
            assert!(!path(glob, text), "`{glob}` and `{text}`");
        }
    }
}

#[test]
fn in_words_a_star_goes_on() {
    let glob = Glob::compile("/etc/*", GlobKind::Word).unwrap();
    assert!(glob.is_match("/etc/a/b", false));
    assert!(!glob.is_match("/ETC/a", false));
    assert!(glob.is_match("/ETC/a", true));
    assert!(Glob::compile("[a-z]", GlobKind::Word).unwrap().is_match("Q", true));
    let glob = Glob::compile("**/.env", GlobKind::Path).unwrap();
    assert_eq!((glob.is_match("a/.ENV", true), glob.is_match("a/.ENV", false)), (true, false));
}

#[test]
fn what_is_no_glob_is_refused() {
    for (glob, part) in [("[a", "no `]`"), ("a\\", "last"), ("[z-a]", "empty"), ("{a,b", "no `}`")] {
        let problem = Glob::compile(glob, GlobKind::Path).unwrap_err();
        assert!(problem.contains(part), "{glob}: {problem}");
    }
    assert!(Glob::compile(&"a".repeat(5000), GlobKind::Path).is_err());
}

#[test]
fn stars_do_not_multiply() {
    let glob = Glob::compile(&"*a".repeat(100), GlobKind::Path).unwrap();
    assert!(!glob.is_match(&"a".repeat(20_000).replace("aaaaaaaa", "aaaaaaab"), false));
}

/// The plain definition, which tries everything.
fn by_definition(glob: &[u8], text: &[u8]) -> bool {
    match (glob, text) {
        ([], _) => text.is_empty(),
        ([b'*', b'*', b'/', rest @ ..], _) => {
            let folders = text.iter().enumerate().filter(|(_, byte)| **byte == b'/');
            by_definition(rest, text)
                || folders.into_iter().any(|(at, _)| by_definition(rest, &text[at + 1..]))
        }
        ([b'*', b'*', rest @ ..], _) => (0..=text.len()).any(|at| by_definition(rest, &text[at..])),
        ([b'*', rest @ ..], _) => (0..=text.len())
            .take_while(|at| !text[..*at].contains(&b'/'))
            .any(|at| by_definition(rest, &text[at..])),
        ([b'?', rest @ ..], [byte, after @ ..]) => *byte != b'/' && by_definition(rest, after),
        ([literal, rest @ ..], [byte, after @ ..]) => literal == byte && by_definition(rest, after),
        (_, []) => false,
    }
}

proptest! {
    /// `**` stands alone in its segment here: that is where both readings are defined.
    #[test]
    fn matching_is_what_the_definition_says(
        parts in proptest::collection::vec(prop_oneof![Just("**/"), Just("*"), Just("?"), Just("a"), Just("b"), Just("x/")], 0..6),
        text in "[ab/]{0,8}",
    ) {
        let mut glob = String::new();
        for part in parts {
            if part == "**/" && !(glob.is_empty() || glob.ends_with('/')) || glob.ends_with('*') && part == "*" {
                continue;
            }
            glob.push_str(part);
        }
        prop_assert_eq!(path(&glob, &text), by_definition(glob.as_bytes(), text.as_bytes()), "{}", glob);
    }

    #[test]
    fn any_text_is_a_glob_or_a_problem(glob in ".{0,40}", text in ".{0,40}") {
        for kind in [GlobKind::Path, GlobKind::Word] {
            if let Ok(glob) = Glob::compile(&glob, kind) {
                glob.is_match(&text, true);
            }
        }
    }
}
