use super::*;

#[test]
fn names_are_read_from_matchers_that_are_nothing_else() {
    for (matcher, names) in [
        ("write_file", vec!["write_file"]),
        ("write_file|replace", vec!["write_file", "replace"]),
        ("^(write_file|replace)$", vec!["write_file", "replace"]),
        ("^(?:a|b)$", vec!["a", "b"]),
        ("^mcp__.*", vec![]),
        ("a|(b|c)", vec![]),
        ("", vec![]),
        ("*", vec![]),
    ] {
        assert_eq!(alternatives(matcher), names, "{matcher}");
    }
}
