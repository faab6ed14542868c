//! The book itself: its notation, and the examples in it.

use std::collections::BTreeSet;

use super::*;
use crate::facts_of_line;
use crate::tests::{commands, paths};

/// The parts of the book as they are written.
const PARTS: [&str; 10] = [
    include_str!("../../programs/cloud.txt"),
    include_str!("../../programs/containers.txt"),
    include_str!("../../programs/coreutils.txt"),
    include_str!("../../programs/files.txt"),
    include_str!("../../programs/git.txt"),
    include_str!("../../programs/launchers.txt"),
    include_str!("../../programs/network.txt"),
    include_str!("../../programs/packages.txt"),
    include_str!("../../programs/shell.txt"),
    include_str!("../../programs/system.txt"),
];

/// What may follow the `=` of a flag and among the operands; words in capitals are for readers.
const ROLES: [&str; 45] = [
    "read",
    "use",
    "environment",
    "write",
    "edit",
    "fetch",
    "script",
    "download",
    "url",
    "@read",
    "mount",
    "blob",
    "cd",
    "into",
    "root",
    "code",
    "code+",
    "checkpoint",
    "run",
    "line",
    "ssh-option",
    "git-setting",
    "ex",
    "makefile",
    "text",
    "unseen",
    "from",
    "moved",
    "to",
    "link",
    "link-here",
    "self",
    "source",
    "client",
    "calls",
    "cargo-code",
    "tmux-code",
    "alias",
    "code-behind-mark",
    "git-key",
    "home-start-file",
    "interactive-start-file",
    "prompt",
    "shell",
    "start-file",
];
const PROPERTIES: [&str; 16] = [
    "abbreviated",
    "in-full",
    "single-dash",
    "dashless",
    "launcher",
    "global",
    "loose",
    "ordered",
    "unlinks",
    "elsewhere",
    "folder",
    "posix",
    "only-bash",
    "remote",
    "set-by-shell",
    "unseen",
];

fn check_role(role: &str, place: &str) {
    // Two values, of which the last has the role.
    let role = role.trim_start_matches('2');
    let role = role.trim_end_matches("...");
    let is_name = role.is_empty() || role.bytes().all(|byte| byte.is_ascii_uppercase() || byte == b'-');
    assert!(is_name || ROLES.contains(&role), "{place}: `{role}` is not a role");
}

fn check(entry: Entry, outer: &[Entry], place: &str) {
    let mut seen = BTreeSet::new();
    for flag in entry.flags() {
        check_role(flag.role, place);
        for name in flag.names.split('|') {
            assert!(seen.insert(name), "{place}: `{name}` is there twice");
            let dashes = name.bytes().take_while(|byte| *byte == b'-').count();
            let is_short = dashes == 1 && name.chars().count() == 2;
            let is_single = dashes == 1 && (entry.spelling() != Spelling::Abbreviated);
            let is_flag = dashes == 2 || is_short || is_single || name == "+*";
            assert!(is_flag, "{place}: `{name}` is not a flag");
        }
    }
    for property in entry.properties.split(' ') {
        assert!(PROPERTIES.contains(&property), "{place}: `{property}` is not a property");
    }
    for line in entry.operands() {
        for condition in line.conditions.split_ascii_whitespace().flat_map(|names| names.split('|')) {
            let name = condition.split('=').next().unwrap();
            if name == "--" {
                continue;
            }
            let is_flag = outer.iter().chain([&entry]).any(|entry| entry.flag(name).is_some());
            assert!(is_flag, "{place}: `{name}` is not one of its flags");
        }
        for role in line.roles.split_ascii_whitespace() {
            match role.split_once('=') {
                Some((_, role)) => check_role(role, place),
                None if matches!(role, "else" | "stdin" | "stdin-text" | "--" | "assign...") => {}
                None => check_role(role, place),
            }
        }
    }
    for line in entry.lines() {
        let is_known =
            ["-", "+", "does ", "as ", "takes", "with "].iter().any(|start| line.starts_with(start));
        assert!(is_known, "{place}: {line}");
    }
}

#[test]
fn every_entry_is_sound() {
    for (name, ..) in INDEX {
        let ends = name.match_indices(' ').map(|(end, _)| end);
        let outer: Vec<Entry> = ends.filter_map(|end| Entry::find(&name[..end])).collect();
        check(Entry::find(name).unwrap(), &outer, name);
    }
    assert!(INDEX.len() > 400, "{}", INDEX.len());
    assert!(Entry::of("no-such-program").is_none());
    assert_eq!(Entry::of("grm").unwrap().names, Entry::of("rm").unwrap().names);
}

#[test]
fn the_notation_is_read() {
    let rm = Entry::of("rm").unwrap();
    assert_eq!(rm.flag("--recursive").unwrap(), rm.flag("-R").unwrap());
    assert_eq!(rm.flag("--recursive").unwrap().takes, Takes::Nothing);
    assert_eq!(rm.flags_from("--recurs").count(), 1);
    assert_eq!(rm.flags_from("--").count(), 0);
    let git = Entry::of("git").unwrap();
    assert_eq!((git.flag("-C").unwrap().takes, git.flag("-C").unwrap().role), (Takes::Value, "cd"));
    assert_eq!(Entry::of("npm").unwrap().command("i").unwrap().1, "install");
    assert_eq!(Entry::of("gh").unwrap().command("variable").unwrap().1, "variable");
}

/// `e.g. LINE = w a, r b` names all paths of a line; without a path it names a command that the line runs.
#[test]
fn the_examples_hold() {
    let mut count = 0;
    let mut wrong = Vec::new();
    for example in
        PARTS.iter().flat_map(|part| part.lines()).filter_map(|line| line.trim_start().strip_prefix("e.g. "))
    {
        let (line, expected) = example.rsplit_once(" = ").unwrap_or_else(|| panic!("{example}"));
        let facts = facts_of_line(line);
        let is_path = ["r ", "u ", "w "].iter().any(|start| expected.starts_with(start));
        let holds = if is_path {
            paths(&facts).join(", ") == expected
        } else {
            commands(&facts).iter().any(|command| command == expected)
        };
        if !holds || facts.is_dynamic() {
            wrong.push(format!(
                "{example}: {} {:?} {:?}",
                paths(&facts).join(", "),
                commands(&facts),
                facts.causes
            ));
        }
        count += 1;
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(count > 60, "{count} examples");
}
