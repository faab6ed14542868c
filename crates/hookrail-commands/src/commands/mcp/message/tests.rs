//! Lines as text; whole connections are in the integration tests.

use serde_json::json;

use super::*;

#[test]
fn integers_that_readers_round_are_found_outside_of_texts_only() {
    for (raw, expected) in [
        (r#"{"a":18446744073709551615,"b":-9223372036854775808,"c":1.5e300}"#, None),
        (r#"{"a":"18446744073709551616","b":"\"18446744073709551616"}"#, None),
        (r#"{"a":[1,{"b":18446744073709551616}]}"#, Some("18446744073709551616")),
        (r#"{"a":-9223372036854775809}"#, Some("-9223372036854775809")),
    ] {
        let found = match ambiguity(raw) {
            Some(Ambiguity::LongInteger(number)) => Some(number),
            _ => None,
        };
        assert_eq!(found.as_deref(), expected, "{raw}");
    }
}

#[test]
fn ids_are_the_same_whatever_they_are_written_like() {
    let id = |raw: &str| Id::read(raw);
    assert_eq!(id("1"), id("1.0"));
    assert_eq!(id("1"), id("1e0"));
    assert_eq!(id(r#""\u0061""#), id(r#""a""#));
    assert_ne!(id("1"), id(r#""1""#));
    assert_eq!(id("null"), Some(Id::Null));
    for other in ["true", "[1]", "{}", "x", r#""\ud800""#] {
        assert_eq!(id(other), None, "{other}");
    }
}

#[test]
fn an_answer_counts_if_it_is_awaited() {
    let awaits = |id: &Id| *id == Id::Number("1".to_owned());
    let read = |line: &'static str| read_server_line(line.as_bytes(), &awaits);
    let answer = || Id::Number("1".to_owned());
    assert_eq!(read(r#"{"id":1.0,"result":{}}"#), ServerLine::Answer(answer()));
    assert_eq!(read(r#"{"id":1,"method":"x","error":{}}"#), ServerLine::Answer(answer()));
    assert_eq!(read(r#"{"id":2,"ID":1,"result":{}}"#), ServerLine::UnclearAnswer(answer()));
    assert_eq!(read(r#"{"id":1,"Result":{},"result":{}}"#), ServerLine::UnclearAnswer(answer()));
    assert_eq!(read(r#"[{"id":1,"result":{}}]"#), ServerLine::Batch(vec![r#"{"id":1,"result":{}}"#]));
    for other in [r#"{"id":2,"result":{}}"#, r#"{"id":1,"method":"sampling/createMessage"}"#, "x", "", "[1]"]
    {
        assert_eq!(read(other), ServerLine::Other, "{other}");
    }
}

#[test]
fn a_replaced_result_leaves_nothing_of_the_old_one() {
    let line = br#"{"id":1,"result":{"content":[{"type":"text","text":"KEY"}],"structuredContent":{"k":"KEY"},"isError":false}}"#;
    let with = |replaced: Value| {
        let change = ResultChange { replaced: Some(replaced), ..ResultChange::default() };
        String::from_utf8(with_result(line, &change).unwrap()).unwrap()
    };
    let text = r#"{"id":1,"result":{"content":[{"type":"text","text":"new"}],"isError":false}}"#;
    for replaced in [json!("new"), json!({ "llmContent": "new" }), json!({ "returnDisplay": "new" })] {
        assert_eq!(with(replaced), format!("{text}\n"));
    }
    assert_eq!(
        with(json!({ "content": [{ "type": "image" }], "structuredContent": { "k": 1 } })),
        "{\"id\":1,\"result\":{\"content\":[{\"type\":\"image\"}],\"structuredContent\":{\"k\":1},\"isError\":false}}\n"
    );
    let failed = br#"{"id":1,"error":{"code":1,"message":"KEY"}}"#;
    let change = ResultChange { replaced: Some(json!("new")), ..ResultChange::default() };
    let changed = String::from_utf8(with_result(failed, &change).unwrap()).unwrap();
    assert_eq!(changed, "{\"id\":1,\"result\":{\"content\":[{\"type\":\"text\",\"text\":\"new\"}]}}\n");
}
