//! Where findings and hooks stand in their file.

use super::*;

#[test]
fn of_repeated_keys_the_last_one_counts_and_it_is_reported() {
    let text = r#"{
        "hooks": {
            "AfterTool": [{ "hooks": [{ "type": "command", "command": "first" }] }],
            "AfterTool": [{ "hooks": [{ "type": "command", "command": "x", "command": "last", "env": { "A": "1", "A": "2" } }] }]
        },
        "enableHooks": true, "enableHooks": false
    }"#;
    let file = Path::new("s.json");
    let source = Source::of_file(file, text);
    let mut settings = Settings::default();
    load::parse_level(&Level::System, &source, &mut settings);
    assert_eq!(commands(&settings), ["AfterTool last"]);
    assert_eq!(settings.hooks[0].env, [("A".to_owned(), "2".to_owned())]);
    assert_eq!(settings.enable.system, Some(false));
    assert_eq!(codes(&settings), ["repeated-key"; 4]);
    let loses_hooks =
        |finding: &Diagnostic| (finding.place.clone().unwrap().line, finding.severity == Severity::Error);
    let mut severities: Vec<_> = settings.diagnostics.iter().map(loses_hooks).collect();
    severities.sort_unstable();
    assert_eq!(severities, [(4, false), (4, true), (4, true), (6, false)], "C11: only lost hooks are errors");
}

#[test]
fn many_findings_on_one_long_line_are_placed_without_counting_from_its_start() {
    let hooks = "{\"type\":\"command\",\"command\":\"ä\",\"x\":1},".repeat(20_000);
    let text = format!("{{\"hooks\":{{\"AfterTool\":[{{\"hooks\":[{hooks}]}}]}}}}");
    let source = Source::of_file(Path::new("s.json"), &text);
    let mut settings = Settings::default();
    load::parse_level(&Level::System, &source, &mut settings);
    assert_eq!(settings.diagnostics.len(), 20_000);
    let place = settings.diagnostics.last().unwrap().place.clone().unwrap();
    assert_eq!(&text[place.span.clone()], "\"x\"");
    assert_eq!(place.column, text[..place.span.start].chars().count() + 1);
}

#[test]
fn every_hook_knows_where_its_parts_stand_in_the_file() {
    let text = "\u{feff}{ \"hooks\": { \"BeforeTool\": [{ \"matcher\": \"grüß\", \"hooks\": [\n\
        { \"type\": \"command\", \"command\": \"a.sh\" }, { \"type\": \"nonsense\" }, { \"type\": \"plugin\" } ] }],\n\
        \"AfterTool\": [{ \"hooks\": [{ \"command\": \"b.sh\", \"type\": \"command\" }] }] } }";
    let mut settings = Settings::default();
    super::load::parse_level(&Level::User, &Source::of_file(Path::new("s.json"), text), &mut settings);
    let parts: Vec<_> = settings
        .hooks
        .iter()
        .map(|hook| &hook.spans)
        .map(|spans| (&text[spans.command.clone()], spans.matcher.clone().map(|matcher| &text[matcher])))
        .collect();
    assert_eq!(parts, [("\"a.sh\"", Some("\"grüß\"")), ("{", Some("\"grüß\"")), ("\"b.sh\"", None)]);
}
