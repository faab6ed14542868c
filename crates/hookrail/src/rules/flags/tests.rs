use std::collections::BTreeSet;

use super::*;

/// A name that stands for two flags would make one of them unreachable.
fn check(syntax: &Syntax, path: &str) {
    let mut seen = BTreeSet::new();
    for flag in syntax.flags() {
        for name in flag.names.split('|') {
            assert!(seen.insert(name), "{path}: `{name}` stands twice");
            let dashes = name.bytes().take_while(|byte| *byte == b'-').count();
            let is_short = dashes == 1 && name.chars().count() == 2;
            let is_single = dashes == 1 && syntax.spelling == Spelling::SingleDash;
            let is_plus = name.starts_with('+');
            assert!(dashes == 2 || is_short || is_single || is_plus, "{path}: `{name}` is no flag");
            assert!(!name.contains('='), "{path}: `{name}`");
        }
    }
    let mut names = BTreeSet::new();
    for command in syntax.commands {
        for name in command.names.split(['|', ',']) {
            assert!(names.insert(name), "{path}: the command `{name}` stands twice");
        }
        check(command, &format!("{path} {}", command.names));
    }
}

#[test]
fn no_name_stands_twice() {
    let mut names = BTreeSet::new();
    for syntax in TABLES.iter().flat_map(|table| table.iter()) {
        for name in syntax.names.split(['|', ',']) {
            assert!(names.insert(name), "the program `{name}` stands twice");
        }
        check(syntax, syntax.names);
    }
    assert!(names.len() > 150, "{}", names.len());
}

#[test]
fn the_notation_is_read() {
    let rm = Syntax::of("rm").unwrap();
    assert_eq!(rm.flag("--recursive").unwrap(), rm.flag("-R").unwrap());
    assert_eq!(rm.flag("--recursive").unwrap().takes, Takes::Nothing);
    assert_eq!(Syntax::of("git").unwrap().flag("-C").unwrap().takes, Takes::Value);
    assert_eq!(rm.flags_from("--recurs").count(), 1);
    assert_eq!(rm.flags_from("--").count(), 0);
    assert_eq!(Syntax::of("npm").unwrap().command("i").unwrap().1, "install");
    assert_eq!(Syntax::of("gh").unwrap().command("variable").unwrap().1, "variable");
    assert!(Syntax::of("no-such-program").is_none());
}
