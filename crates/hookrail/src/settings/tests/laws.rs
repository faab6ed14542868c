//! What holds for any settings.

use proptest::prelude::*;

use super::*;

fn arbitrary_json() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        ".{0,8}".prop_map(Value::from),
        prop::sample::select(vec!["command", "plugin", "block", "apply", "*", "("]).prop_map(Value::from),
    ];
    let keys = prop::sample::select(vec![
        "hooks",
        "hooksConfig",
        "enableHooks",
        "tools",
        "security",
        "extensions",
        "environmentVariableRedaction",
        "BeforeTool",
        "AfterModel",
        "SessionStart",
        "enabled",
        "disabled",
        "matcher",
        "sequential",
        "type",
        "command",
        "timeout",
        "name",
        "description",
        "env",
        "onFailure",
        "agentEvents",
        "maxOutputBytes",
        "other",
    ]);
    leaf.prop_recursive(7, 96, 6, move |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..5).prop_map(Value::from),
            prop::collection::vec((keys.clone(), inner), 0..6)
                .prop_map(|fields| fields.into_iter().map(|(key, value)| (key.to_owned(), value)).collect()),
        ]
    })
}

/// Arbitrary values in the places where hooks are read.
fn arbitrary_settings() -> impl Strategy<Value = Value> {
    let json = arbitrary_json;
    prop_oneof![
        json(),
        (json(), json()).prop_map(|(hooks, config)| json!({ "hooks": hooks, "hooksConfig": config })),
        json().prop_map(|groups| json!({ "hooks": { "BeforeTool": groups } })),
        (json(), json()).prop_map(|(hook, matcher)| {
            json!({ "hooks": { "SessionEnd": [{ "matcher": matcher, "hooks": [hook] }] } })
        }),
        (json(), json(), json()).prop_map(|(timeout, env, name)| {
            let hook =
                json!({ "type": "command", "command": "x", "timeout": timeout, "env": env, "name": name });
            json!({ "hooks": { "AfterTool": [{ "hooks": [hook] }] } })
        }),
    ]
}

proptest! {
    #[test]
    fn no_value_panics_and_every_hook_read_is_sound(value in arbitrary_settings()) {
        let settings = read(&value);
        for hook in &settings.hooks {
            prop_assert!(!hook.timeout.is_zero());
            prop_assert!(!hook.name.is_empty());
            prop_assert!(!matches!(hook.kind, HookKind::Command(_)) || !hook.command().trim().is_empty());
        }
    }

    #[test]
    fn no_text_panics_and_every_place_is_inside_it(
        value in arbitrary_settings(),
        cut in any::<prop::sample::Index>(),
        noise in ".{0,3}",
    ) {
        let mut text = format!("\u{feff}{}", serde_json::to_string_pretty(&value).unwrap());
        let mut at = cut.index(text.len() + 1);
        while !text.is_char_boundary(at) {
            at -= 1;
        }
        text.insert_str(at, &noise);
        let source = Source::of_file(Path::new("s.json"), &text);
        let mut settings = Settings::default();
        load::parse_level(&Level::Project, &source, &mut settings);
        for finding in &settings.diagnostics {
            let place = finding.place.as_ref().unwrap();
            prop_assert!(text.get(place.span.clone()).is_some(), "{:?}", finding);
            let line_start = text[..place.span.start].rfind('\n').map_or(0, |newline| newline + 1);
            let before = text[line_start..place.span.start].trim_start_matches('\u{feff}');
            prop_assert_eq!(place.line, 1 + text[..place.span.start].matches('\n').count());
            prop_assert_eq!(place.column, 1 + before.chars().count());
        }
    }

    /// What is strict JSON for one parser is for the other, as far as comments, commas and depth go.
    #[test]
    fn the_parser_takes_all_json(value in arbitrary_json()) {
        let text = json!({ "x": value }).to_string();
        let parsed = Source::new(None, &text).parse().map(jsonc_parser::ast::Value::Object).map(Value::from);
        prop_assert_eq!(parsed.map_err(|finding| finding.message), Ok(serde_json::from_str(&text).unwrap()));
    }
}
