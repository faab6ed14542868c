use proptest::prelude::*;
use serde_json::json;

use super::*;

const NOT_JSON: &str = "not JSON";

/// The value as compact JSON, or what is wrong.
fn brief(text: &str) -> String {
    match parse_json(text) {
        Ok(value) => value.to_string(),
        Err(JsonProblem::NotJson { .. }) => NOT_JSON.to_owned(),
        Err(problem) => problem.to_string(),
    }
}

#[test]
fn reads_what_json_parse_reads() {
    for (text, expected) in [
        // Beyond what serde_json reads (ruling O20).
        ("1e999", "1.7976931348623157e+308"),
        ("[-1e999]", "[-1.7976931348623157e+308]"),
        (r#"{"reason":"\ud800"}"#, "{\"reason\":\"\u{FFFD}\"}"),
        (r#""\udc00\ud83d""#, "\"\u{FFFD}\u{FFFD}\""),
        (r#""\ud83dx\ud83d\n\ud83d\u0041\ud83d\ud83d\ude00""#, "\"\u{FFFD}x\u{FFFD}\\n\u{FFFD}A\u{FFFD}😀\""),
        (r#"{"a":1,"b":2,"a":3}"#, r#"{"a":3,"b":2}"#),
        (r#"{"__proto__":1,"__proto__":{"x":2}}"#, r#"{"__proto__":{"x":2}}"#),
        (r#"{"decision":"allow","decision":"block"}"#, r#"{"decision":"block"}"#),
        ("\u{FEFF}{}", "{}"),
        ("{}\0\0", "{}"),
        ("\u{FEFF}\n {}\0\n\0\r\n", "{}"),
        ("\u{a0}\u{2028}\u{3000}\u{b}{}\u{c}\u{a0}", "{}"),
        // What everyone reads.
        (" \t\r\n[ 1 , 2 ]\n", "[1,2]"),
        (r#""\"\\\/\b\f\n\r\t\u0041\u00e9\uD83D\uDE00""#, "\"\\\"\\\\/\\b\\f\\n\\r\\tAé😀\""),
        ("\"\u{7f}\u{2028}é\"", "\"\u{7f}\u{2028}é\""),
        ("[true,false,null,{},[]]", "[true,false,null,{},[]]"),
        (r#"{"":{"":[{}]}}"#, r#"{"":{"":[{}]}}"#),
        ("18446744073709551615", "18446744073709551615"),
        ("-9223372036854775808", "-9223372036854775808"),
        ("18446744073709551616", "1.8446744073709552e+19"),
        ("-0", "-0.0"),
        ("0.1e+2", "10.0"),
        ("1E-2", "0.01"),
        // Nothing looser.
        ("", NOT_JSON),
        ("\0{}", NOT_JSON),
        ("\u{85}{}", NOT_JSON),
        ("[1\u{a0},2]", NOT_JSON),
        ("[1,]", NOT_JSON),
        ("[,]", NOT_JSON),
        ("[1 2]", NOT_JSON),
        (r#"{"a":1,}"#, NOT_JSON),
        (r#"{"a" 1}"#, NOT_JSON),
        ("{a:1}", NOT_JSON),
        ("{'a':1}", NOT_JSON),
        ("{1:1}", NOT_JSON),
        ("// no\n{}", NOT_JSON),
        ("{} {}", NOT_JSON),
        ("{}x", NOT_JSON),
        ("[", NOT_JSON),
        ("[1", NOT_JSON),
        ("{", NOT_JSON),
        ("]", NOT_JSON),
        ("[}", NOT_JSON),
        ("\"a", NOT_JSON),
        ("\"a\nb\"", NOT_JSON),
        ("\"\u{1}\"", NOT_JSON),
        (r#""\x41""#, NOT_JSON),
        (r#""\u12""#, NOT_JSON),
        (r#""\u+123""#, NOT_JSON),
        (r#""\ud83d\u12""#, NOT_JSON),
        ("\"\\u12é\"", NOT_JSON),
        ("\"\\", NOT_JSON),
        ("01", NOT_JSON),
        ("+1", NOT_JSON),
        (".5", NOT_JSON),
        ("1.", NOT_JSON),
        ("1e", NOT_JSON),
        ("-", NOT_JSON),
        ("0x10", NOT_JSON),
        ("NaN", NOT_JSON),
        ("Infinity", NOT_JSON),
        ("-Infinity", NOT_JSON),
        ("undefined", NOT_JSON),
        ("True", NOT_JSON),
        ("nul", NOT_JSON),
        ("hello", NOT_JSON),
    ] {
        assert_eq!(brief(text), expected, "{text:?}");
    }
}

#[test]
fn a_problem_says_where() {
    assert_eq!(parse_json("  {\"a\":1,}"), Err(JsonProblem::NotJson { offset: 7 }));
    assert_eq!(parse_json("[1] tail"), Err(JsonProblem::NotJson { offset: 4 }));
}

fn nested(levels: usize, open: &str, close: &str) -> String {
    format!("{}1{}", open.repeat(levels), close.repeat(levels))
}

/// Ruling O17: at least 1,000 levels are read. A worker thread of the runtime has 2 MiB of stack.
#[test]
fn deep_values_are_read_and_survive_a_small_stack() {
    let work = || {
        for (open, close) in [("[", "]"), (r#"{"a":"#, "}"), (r#"[{"a":"#, "}]")] {
            let per_step = open.matches(['[', '{']).count();
            let text = nested(MAX_DEPTH / per_step, open, close);
            let value = parse_json(&text).unwrap();
            let copy = value.clone();
            assert!(copy == value);
            assert_eq!(serde_json::to_string(&json!({ "output": [copy] })).unwrap().len(), text.len() + 13);
            assert!(format!("{value:?}").len() > text.len());
            drop(value);
            let one_more = nested(MAX_DEPTH / per_step + 1, open, close);
            assert_eq!(parse_json(&one_more), Err(JsonProblem::Beyond(AnswerBound::Depth)));
        }
    };
    std::thread::Builder::new().stack_size(2 << 20).spawn(work).unwrap().join().unwrap();
}

#[test]
fn no_depth_overflows_the_stack_or_passes_as_prose() {
    for text in ["[".repeat(1_000_000), nested(100_000, "[", "]"), nested(100_000, r#"{"a":"#, "}")] {
        assert_eq!(parse_json(&text), Err(JsonProblem::Beyond(AnswerBound::Depth)));
    }
}

#[test]
fn big_texts_are_read_whole() {
    let long = "x".repeat(15 << 20);
    assert_eq!(parse_json(&format!("\"{long}\"")), Ok(Value::String(long)));

    let keys: Vec<String> = (0..10_000).map(|n| format!("\"key{n}\":{n}")).collect();
    let object = parse_json(&format!("{{{}}}", keys.join(","))).unwrap();
    assert_eq!(
        object.as_object().map(|entries| (entries.len(), &entries["key9999"])),
        Some((10_000, &json!(9999)))
    );

    let digits = "7".repeat(1 << 20);
    assert_eq!(parse_json(&digits), Ok(json!(f64::MAX)));
    let escapes = parse_json(&format!("\"{}\"", r"\ud800".repeat(100_000))).unwrap();
    assert_eq!(escapes.as_str().map(|text| text.chars().count()), Some(100_000));
}

fn any_value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<u64>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        any::<String>().prop_map(Value::from),
    ];
    leaf.prop_recursive(6, 48, 6, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..6).prop_map(Value::Array),
            prop::collection::vec((any::<String>(), inner), 0..6)
                .prop_map(|entries| Value::Object(entries.into_iter().collect())),
        ]
    })
}

/// Text that looks like JSON much more often than random text does.
fn json_like() -> impl Strategy<Value = String> {
    let piece = prop::sample::select(vec![
        "{", "}", "[", "]", ",", ":", "\"", "\"a\"", "\\", "\\u", "d83d", "\\ude00", "1", "-", "0", ".5",
        "e9", "true", "null", " ", "\n", "\0", "\u{FEFF}", "é",
    ]);
    prop::collection::vec(piece, 0..16).prop_map(|pieces| pieces.concat())
}

/// Equal, except that `serde_json` may read a fraction one step off its nearest `f64`.
fn same(ours: &Value, theirs: &Value) -> bool {
    match (ours, theirs) {
        (Value::Number(a), Value::Number(b)) if a.is_f64() && b.is_f64() => {
            let (a, b) = (a.as_f64().unwrap(), b.as_f64().unwrap());
            a.to_bits().abs_diff(b.to_bits()) <= 1
        }
        (Value::Array(a), Value::Array(b)) => a.len() == b.len() && a.iter().zip(b).all(|(a, b)| same(a, b)),
        (Value::Object(a), Value::Object(b)) => {
            a.len() == b.len() && a.iter().zip(b).all(|((k, a), (l, b))| k == l && same(a, b))
        }
        _ => ours == theirs,
    }
}

fn agrees_with_serde_json(text: &str) {
    let ours = parse_json(text);
    if let Ok(theirs) = serde_json::from_str::<Value>(text) {
        assert!(ours.as_ref().is_ok_and(|ours| same(ours, &theirs)), "{text:?} read as {ours:?}");
    }
}

proptest! {
    #[test]
    fn any_text_is_read_without_a_panic(text in any::<String>()) {
        agrees_with_serde_json(&text);
    }

    #[test]
    fn anything_like_json_is_read_as_serde_json_reads_it(text in json_like()) {
        agrees_with_serde_json(&text);
    }

    #[test]
    fn any_json_is_read_as_serde_json_reads_it(value in any_value(), pretty in any::<bool>()) {
        let text = if pretty { serde_json::to_string_pretty(&value) } else { serde_json::to_string(&value) };
        let text = text.unwrap();
        prop_assert!(parse_json(&text).is_ok());
        agrees_with_serde_json(&text);
    }

    #[test]
    fn numbers_are_read_as_serde_json_reads_them(text in "-?(0|[1-9][0-9]{0,25})(\\.[0-9]{1,20})?([eE][+-]?[0-9]{1,2})?") {
        prop_assert!(parse_json(&text).is_ok());
        agrees_with_serde_json(&text);
    }
}

/// The heap that a tree takes, allocations rounded up as allocators do.
fn heap_of(value: &Value) -> usize {
    let text = |text: &String| text.capacity().next_multiple_of(32);
    match value {
        Value::Null | Value::Bool(_) | Value::Number(_) => 0,
        Value::String(string) => text(string),
        Value::Array(items) => {
            items.capacity() * size_of::<Value>() + items.iter().map(heap_of).sum::<usize>()
        }
        Value::Object(entries) => {
            // A map keeps its entries in a vector, with their hashes, and an index beside it.
            let entry = size_of::<(usize, String, Value)>() + 2 * size_of::<usize>();
            let room = if entries.is_empty() { 0 } else { entries.len().next_power_of_two().max(4) };
            room * entry + entries.iter().map(|(key, value)| text(key) + heap_of(value)).sum::<usize>()
        }
    }
}

#[test]
fn trees_are_bounded_however_small_their_text_is() {
    const KEPT: usize = 16 * 1024 * 1024;
    let filled = |start: &str, item: &dyn Fn(usize) -> String, end: &str| {
        let mut text = start.to_owned();
        for n in 0.. {
            let item = item(n);
            if text.len() + item.len() + end.len() + 1 > KEPT {
                break;
            }
            text.push_str(if n == 0 { "" } else { "," });
            text.push_str(&item);
        }
        text + end
    };
    for (what, text) in [
        ("7.5 million numbers", filled("[", &|_| "0".to_owned(), "]")),
        (
            "7.5 million numbers in an answer",
            filled("{\"decision\":\"block\",\"x\":[", &|_| "0".to_owned(), "]}"),
        ),
        ("900,000 keys", filled("{", &|n| format!("\"key{n:09}\":0"), "}")),
        ("small arrays", filled("[", &|_| "[0]".to_owned(), "]")),
        ("small objects", filled("[", &|_| "{\"\":0}".to_owned(), "]")),
        ("empty objects", filled("[", &|_| "{}".to_owned(), "]")),
        ("empty strings", filled("[", &|_| "\"\"".to_owned(), "]")),
    ] {
        assert_eq!(parse_json(&text), Err(JsonProblem::Beyond(AnswerBound::Values)), "R15: {what}");
    }
    // The most that is read of each kind, and its slots by the bounds' own account.
    for (what, item, slots) in [
        ("numbers", "0", 1),
        ("arrays", "[0]", 6),
        ("objects", "{\"\":0}", 7),
        ("messages", "{\"role\":\"user\",\"content\":\"hi\"}", 9),
        ("nested arrays", "[[[[0]]]]", 21),
    ] {
        let most = (MIN_SLOTS - 1 - CONTAINER_SLOTS) / slots;
        let read = |count: usize| parse_json(&format!("[{}]", vec![item; count].join(",")));
        let heap = heap_of(&read(most).unwrap());
        assert!(heap <= 2 * KEPT, "R15: {what}: {most} of them take {heap} bytes");
        assert_eq!(read(most + 1), Err(JsonProblem::Beyond(AnswerBound::Values)), "R15: {what}");
    }
}

#[test]
fn a_longer_text_may_hold_more_values() {
    let text = format!("[{}]", vec![format!("\"{}\"", "x".repeat(80)); 400_000].join(","));
    assert_eq!(parse_json(&text).unwrap().as_array().map(Vec::len), Some(400_000));
}
