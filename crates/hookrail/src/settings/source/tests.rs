//! What counts as a settings text, and where it stops being one.

use super::*;

/// Where parsing a text stops, and what was expected there.
fn stumbles(text: &str) -> String {
    match Source::of_file(Path::new("s.json"), text).parse() {
        Ok(_) => "fine".to_owned(),
        Err(finding) => {
            let place = finding.place.unwrap();
            assert!(place.span.end <= text.len() && text.get(place.span.clone()).is_some(), "{text:?}");
            let message = finding.message.strip_prefix("malformed settings: expected ").unwrap();
            format!("{}:{} {message}", place.line, place.column)
        }
    }
}

#[test]
fn settings_are_json_with_comments_and_trailing_commas_and_nothing_looser() {
    for (text, expected) in [
        ("{}", "fine"),
        ("\u{feff}{}", "fine"),
        ("// a\n{ /* b */ \"a\": [1, 2,], \"b\": -1.5e+3, } // c", "fine"),
        (r#"{"\u00e4\ud83d\ude00": "\n\"\/"}"#, "fine"),
        ("", "1:1 an object `{ … }`, found the end of the text"),
        ("// only a comment\n", "2:1 an object `{ … }`, found the end of the text"),
        ("[1]", "1:1 an object `{ … }`, found an array"),
        ("{\n  \"ä\": 1\n  \"b\": 2\n}", "2:9 `,`, found `\"`"),
        ("{\"a\": 1} {}", "1:10 the end of the text after the first value, found `{`"),
        ("{a: 1}", "1:2 a key in double quotes, found `a`"),
        ("{'a': 1}", "1:2 double quotes around a string, found `'`"),
        ("{\"a\" 1}", "1:6 `:` after the key, found `1`"),
        (
            "{\"a\": }",
            "1:7 a value: an object, an array, a string in double quotes, a number, true, false or null, found `}`",
        ),
        (
            "{\"a\": True}",
            "1:7 a value: an object, an array, a string in double quotes, a number, true, false or null, found `True`",
        ),
        ("{\"a\": 0x10}", "1:7 a decimal number, found `0x10`"),
        ("{\"a\": +1}", "1:7 a number without `+`, found `+`"),
        ("{\"a\": .5}", "1:7 digits on both sides of the decimal point, found `.`"),
        ("{\"a\": 01}", "1:8 `,`, found `1`"),
        (
            "{\"a\": NaN}",
            "1:7 a value: an object, an array, a string in double quotes, a number, true, false or null, found `NaN`",
        ),
        ("{,}", "1:2 a key in double quotes or `}`, found `,`"),
        (
            "{\"a\": [1,,2]}",
            "1:10 a value: an object, an array, a string in double quotes, a number, true, false or null, found `,`",
        ),
        ("{\"a\": \"\\x41\"}", "1:8 one of the escapes \\\" \\\\ \\/ \\b \\f \\n \\r \\t \\u, found `\\`"),
        ("{\"a\": \"\\ud800\"}", "1:8 a `\\u` escape that stands for a character, found `\\`"),
        ("{\"a\": \"x\ty\"}", "1:9 the escape \\u0009, found the control character U+0009"),
        ("{\u{a0}\"a\": 1}", "1:2 a space, a tab or a line break, found the character U+00A0"),
        ("{\u{c}\"a\": 1}", "1:2 a space, a tab or a line break, found the character U+000C"),
        // A forgotten quote is reported where it was forgotten, not where the parser stumbles.
        ("{\n  \"a\": \"x,\n  \"b\": 2\n}", "2:8 `\"` at the end of the string, found the end of the line"),
        (
            "{\n  \"a\": [1, 2\n}",
            "3:1 a value: an object, an array, a string in double quotes, a number, true, false or null, found `}`",
        ),
        ("{\n  \"a\": {\n    \"b\": 1\n}\n", "4:2 `}` for the `{` of line 1, found the end of the text"),
        ("{ /* never closed", "1:3 `*/` at the end of the comment, found `/`"),
    ] {
        assert_eq!(stumbles(text), expected, "C2, C8: {text:?}");
    }
}

#[test]
fn deep_nesting_is_a_finding_and_not_a_crash() {
    for (open, close) in [("[", "]"), ("{\"a\":", "}")] {
        for depth in [100, 1_000, 1_000_000] {
            for text in [
                format!("{{\"x\": {}1{}}}", open.repeat(depth), close.repeat(depth)),
                format!("{{\"x\": {}", open.repeat(depth)),
            ] {
                let told = stumbles(&text);
                assert_eq!(told == "fine", depth == 100 && text.ends_with('}'), "{depth} {told}");
            }
        }
    }
}
