use super::*;

#[test]
fn other_agents_names_are_translated() {
    for (matcher, expected) in [
        ("Bash", Some("run_shell_command")),
        ("Write|Edit", Some("write_file|replace")),
        ("^Read$", Some("read_file")),
        ("Bash(git push:*)", Some("run_shell_command")),
        ("Grep|Glob", Some("search_file_content|glob")),
        ("Glob", Some("glob")),
        ("LS", Some("list_directory")),
        ("MultiEdit|write_file", Some("replace|write_file")),
        ("wirte_file", None),
        ("Task", None),
    ] {
        assert_eq!(of_another_agent(matcher).as_deref(), expected, "{matcher}");
    }
}

#[test]
fn globs_are_distinguished_from_patterns() {
    for (matcher, expected) in [
        ("write_*", Some("^write_.*$")),
        ("*_file", Some("^.*_file$")),
        ("a*b*", Some("^a.*b.*$")),
        ("write_.*", None),
        ("*", None),
        ("write_file", None),
        ("(write|read)_*", None),
    ] {
        assert_eq!(glob_as_regex(matcher).as_deref(), expected, "{matcher}");
    }
}
