use serde::Serialize as _;
use serde_json::ser::{CompactFormatter, Formatter, PrettyFormatter};
use serde_json::{Serializer, json};

use super::super::is_deceptive;
use super::*;

fn written(value: &serde_json::Value, layout: impl Formatter) -> String {
    let mut bytes = Vec::new();
    value.serialize(&mut Serializer::with_formatter(SafeJson(&mut bytes), layout)).unwrap();
    String::from_utf8(bytes).unwrap()
}

#[test]
fn it_is_what_escaping_the_whole_text_would_give() {
    let value = json!({
        "grüße \u{202e}\u{7f}": ["\u{9b}\u{e0041}\u{1b}\n\0", 1, 2.5, null, true, [], {}, ["x"]],
        "a": { "b\u{ad}": "\u{7f}" },
    });
    let compact = serde_json::to_string(&value).unwrap();
    assert_eq!(written(&value, CompactFormatter), escape_json(&compact));
    let pretty = serde_json::to_string_pretty(&value).unwrap();
    assert_eq!(written(&value, PrettyFormatter::new()), escape_json(&pretty));
    assert!(!written(&value, CompactFormatter).chars().any(is_deceptive));
}
