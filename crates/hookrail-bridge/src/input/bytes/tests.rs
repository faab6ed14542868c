//! The repair of texts that are no Unicode, and the bounds.

use proptest::prelude::*;

use super::*;

#[test]
fn lone_surrogates_are_replaced_and_pairs_stay() {
    for (before, after) in [
        (r"\ud800", "\u{fffd}"),
        (r"\ud800\ud800", "\u{fffd}\u{fffd}"),
        (r"\ud83d\ude00", r"\ud83d\ude00"),
        (r"\ude00\ud83d", "\u{fffd}\u{fffd}"),
        (r"\\ud800", r"\\ud800"),
        (r"\u00e4\n\", r"\u00e4\n\"),
        (r"\ud80", r"\ud80"),
        ("\\é\\ud800", "\\é\u{fffd}"),
    ] {
        assert_eq!(without_lone_surrogates(before), after, "{before}");
    }
}

#[test]
fn values_are_counted_outside_of_texts() {
    for (text, count) in [("5", 1), ("[1,2,3]", 4), (r#"{"a":",,[[","b":1}"#, 4), (r#"["\",",1]"#, 3)] {
        assert_eq!(values_at_most(text.as_bytes()), count, "{text}");
    }
}

#[test]
fn an_event_is_found_in_a_text_that_was_cut_off() {
    for (text, name) in [
        (r#"{"hook_event_name":"PreToolUse","x":"#, Some("PreToolUse")),
        (r#"{"hook_event_name" : "Stop""#, Some("Stop")),
        (r#"{"hook_event_name": 5"#, None),
        (r#"{"hook_event_name": "Pre"#, None),
        ("", None),
    ] {
        assert_eq!(event_name_in(text.as_bytes()).as_deref(), name, "{text}");
    }
}

proptest! {
    /// Text that is valid stays valid and the same.
    #[test]
    fn valid_json_is_not_touched(text in any::<String>()) {
        let json = serde_json::to_string(&text).expect("JSON");
        prop_assert_eq!(without_lone_surrogates(&json), json);
    }

    /// The count is never below the number of values.
    #[test]
    fn the_count_is_an_upper_bound(texts in proptest::collection::vec(any::<String>(), 0..8)) {
        let json = serde_json::to_string(&texts).expect("JSON");
        prop_assert!(values_at_most(json.as_bytes()) > texts.len());
    }
}
