use super::*;

fn brief(line: &str) -> String {
    match read_line(line.as_bytes(), 40) {
        Line::Ready(at_once) => format!("ready {at_once}"),
        Line::Answer(id, Ok(Finished { exit, stdout, stderr, .. })) => {
            let cut = if stdout.truncated { " cut" } else { "" };
            let (stdout, stderr) =
                (String::from_utf8_lossy(&stdout.bytes), String::from_utf8_lossy(&stderr.bytes));
            format!("{id}: {exit:?} [{stdout}]{cut} [{stderr}]")
        }
        Line::Answer(id, Err(why)) => format!("{id} {why}"),
        Line::NoAnswer => "no answer".to_owned(),
    }
}

#[test]
fn lines_mean_what_the_protocol_says() {
    for (line, expected) in [
        (r#"{"id":"7","output":{"decision":"block"}}"#, r#"7: Code(0) [{"decision":"block"}] []"#),
        (r#" {"output" : { "a" : 1 } , "id" : "7"} "#, r#"7: Code(0) [{ "a" : 1 }] []"#),
        ("\u{feff}{\"id\":\"7\",\"output\":{}}\0", "7: Code(0) [{}] []"),
        (r#"{"id":"7","output":"plain \"text\""}"#, r#"7: Code(0) [plain "text"] []"#),
        (r#"{"id":"7","output":[1]}"#, "7: Code(0) [[1]] []"),
        (r#"{"id":"7","output":null}"#, "7: Code(0) [null] []"),
        (r#"{"id":"7","output":{"n":1e999,"s":"\ud800"}}"#, r#"7: Code(0) [{"n":1e999,"s":"\ud800"}] []"#),
        (r#"{"id":"7","exitCode":2,"stdout":"","stderr":"no"}"#, "7: Code(2) [] [no]"),
        (r#"{"id":"7","exitCode":0}"#, "7: Code(0) [] []"),
        (r#"{"id":"7","exitCode":255,"stdout":"a\nb"}"#, "7: Code(255) [a\nb] []"),
        (r#"{"id":"7","exitCode":1,"exitCode":2}"#, "7: Code(2) [] []"),
        (
            r#"{"id":"7","output":"0123456789012345678901234567890123456789x"}"#,
            "7: Code(0) [0123456789012345678901234567890123456789] cut []",
        ),
        (r#"{"id":"7"}"#, "7 has neither `output` nor `exitCode`"),
        (r#"{"id":"7","output":{},"exitCode":2}"#, "7 has both `output` and `exitCode`"),
        (r#"{"id":"7","exitCode":256}"#, "7 has an `exitCode` that no process has"),
        (r#"{"id":"7","exitCode":-1}"#, "7 has an `exitCode` that no process has"),
        (r#"{"id":"7","exitCode":2.0}"#, "7 has an `exitCode` that no process has"),
        (r#"{"id":"7","exitCode":"2"}"#, "7 has an `exitCode` that no process has"),
        (r#"{"id":"7","exitCode":null}"#, "7 has an `exitCode` that no process has"),
        (r#"{"id":"7","exitCode":true}"#, "7 has an `exitCode` that no process has"),
        (r#"{"id":"7","exitCode":2,"stderr":1}"#, "7 has a `stderr` that is not a text"),
        (r#"{"id":7,"output":{}}"#, "no answer"),
        (r#"{"id":null,"output":{}}"#, "no answer"),
        (r#"{"id":"7","output":{"a":1 "b":2}}"#, "no answer"),
        (r#"{"id":"7","output":{}}{}"#, "no answer"),
        (r#"["id"]"#, "no answer"),
        ("\0{\"id\":\"7\",\"output\":{}}", "no answer"),
        ("", "no answer"),
        ("checking", "no answer"),
        (r#"{"decision":"block"}"#, "no answer"),
        (r#"{"ready":true}"#, "ready 1"),
        (r#"{"ready":true,"concurrent":4}"#, "ready 4"),
        (r#"{"ready":true,"concurrent":4.9}"#, "ready 4"),
        (r#"{"ready":true,"concurrent":-1e300}"#, "ready 1"),
        (r#"{"ready":true,"concurrent":1000000000000000}"#, "ready 64"),
        (r#"{"ready":true,"concurrent":"4"}"#, "ready 1"),
        (r#"{"ready":false,"concurrent":4}"#, "no answer"),
    ] {
        assert_eq!(brief(line), expected, "{line}");
    }
}

#[test]
fn bytes_that_are_no_text_are_replaced() {
    let line = b"{\"id\":\"7\",\"output\":{\"reason\":\"no\xff\"}}";
    let Line::Answer(_, Ok(answer)) = read_line(line, 100) else { panic!("an answer") };
    assert_eq!(answer.stdout.bytes, "{\"reason\":\"no\u{fffd}\"}".as_bytes());
}

#[test]
fn a_deep_output_is_handed_on_without_recursion() {
    let deep = format!("{{\"id\":\"7\",\"output\":{}{}}}", "[".repeat(1_000_000), "]".repeat(1_000_000));
    assert!(matches!(read_line(deep.as_bytes(), usize::MAX), Line::Answer(_, Ok(_))));
}
