use super::*;

#[test]
fn errors_of_shells_are_understood() {
    let env = [("PATH".to_owned(), "/a:/b".to_owned())];
    for (stderr, expected) in [
        ("./x.sh: line 3: jq: command not found", Some("jq is in none of")),
        ("bash: line 1: jq: command not found\nmore", Some("PATH: /a:/b")),
        ("boom", None),
    ] {
        let hint = missing_program(&env, stderr);
        match expected {
            Some(words) => assert!(hint.as_ref().is_some_and(|hint| hint.contains(words)), "{hint:?}"),
            None => assert_eq!(hint, None),
        }
    }
    for stderr in
        ["x.sh: line 2: $'\\r': command not found", "env: 'bash\\r': No such file", "bad interpreter^M"]
    {
        assert!(carriage_return(stderr).is_some(), "{stderr}");
    }
    assert_eq!(carriage_return("a\\nb"), None);
}
