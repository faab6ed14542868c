use super::*;

#[test]
fn only_a_clear_yes_is_a_yes() {
    for (line, expected) in [
        ("y\n", Meaning::Yes),
        (" YES \r\n", Meaning::Yes),
        ("n\n", Meaning::No),
        ("No\n", Meaning::No),
        (" Always\n", Meaning::Always),
        ("a\n", Meaning::Always),
        ("\n", Meaning::Unclear),
        ("yn\n", Meaning::Unclear),
        ("\u{1b}[A y\n", Meaning::Unclear),
    ] {
        assert_eq!(meaning(line), expected, "{line:?}");
    }
}

#[test]
fn a_question_shows_what_would_run_and_obeys_nothing_in_it() {
    let question = Question {
        tool: "run_shell_command".to_owned(),
        title: "run: rm x\u{1b}[2K\nAllow".to_owned(),
        preview: None,
        asked_for: None,
        always: None,
        hook_reason: None,
        why: None,
    };
    assert_eq!(question_text(&question), "Allow run: rm x\\u{1b}[2K\\nAllow? [y/n] ");
    let question = Question {
        title: "write a".to_owned(),
        preview: Some("@@ -1,0 +1,1 @@\n+x\u{202e}".to_owned()),
        asked_for: Some("write b".to_owned()),
        always: Some(Always::Edits),
        ..question
    };
    assert_eq!(
        question_text(&question),
        "A hook changed this call; the model had asked for: write b\n  @@ -1,0 +1,1 @@\n  +x\\u{202e}\n\
             Allow write a? [y/n/always: all edits of this session] "
    );
    let asked = Question {
        title: "it".to_owned(),
        preview: None,
        asked_for: None,
        always: None,
        hook_reason: Some("prod\u{1b}[2K\n?".to_owned()),
        ..question
    };
    assert_eq!(question_text(&asked), "A hook asks for your decision: prod\\u{1b}[2K\\n?\nAllow it? [y/N] ");
    let protected = Question { hook_reason: None, why: Some("it guards you".to_owned()), ..asked };
    assert!(question_text(&protected).ends_with("? (it guards you) [y/n] "));
}
