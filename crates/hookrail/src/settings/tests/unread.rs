//! Rules that are not read at once: whatever a text says, that makes no difference.

use std::fmt::Write as _;
use std::sync::Arc;

use proptest::prelude::*;

use super::*;
use crate::rules::{Facts, Folders, Rule, Subject};

/// Lines of which some hold for the rules below.
const LINES: [&str; 7] = [
    "ls -la",
    "tool delete --force x",
    "/usr/bin/tool drop x",
    "sudo git push -f && make",
    "$X delete",
    "eval \"$Y\"",
    "git \\",
];

/// All that a hook is, and what a rule says to lines.
fn seen(hook: &ConfiguredHook) -> String {
    let mut seen = format!("{:?} {:?} ", hook.spans, hook.extra_fields);
    let HookKind::Rule(rule) = &hook.hook.kind else {
        return seen + &format!("{:?}", hook.hook);
    };
    let mut without = Hook::clone(&hook.hook);
    without.kind = HookKind::Plugin;
    let _ = write!(seen, "{without:?} {:?} ", rule.output());
    for line in LINES {
        let _ = write!(seen, "{:?} ", answer(rule, line));
    }
    seen
}

fn answer(rule: &Rule, line: &str) -> Option<String> {
    let input = json!({ "command": line });
    let subject =
        Subject { tool_name: Some("run_shell_command"), tool_input: input.as_object(), ..Subject::default() };
    let place = Path::new("/project");
    let facts = Facts::new(subject, Folders { project: place, cwd: place, home: None });
    rule.answer(&facts).map(|output| format!("{output:?}"))
}

/// Reads a text behind a comment, and behind one as long that has every rule read at once: the search ends in it.
fn read_twice(text: &str) -> [(Vec<String>, Vec<Diagnostic>, Vec<UnusableFile>); 2] {
    [r#"/*"BeforeTool" ]*/"#, r#"/*"BeforeTool":]*/"#].map(|comment| {
        // Before they are asked what they say, so that they are still unread.
        let settings = parse_user_text(&format!("\u{feff}{comment}{text}"));
        (settings.hooks.iter().map(seen).collect(), settings.diagnostics, settings.unusable)
    })
}

/// How many rules of a text are left unread.
fn unread(text: &str) -> usize {
    let content = Arc::new(text.to_owned());
    let Some(cut) = super::super::unread::CutText::of(&content, &content) else { return 0 };
    let source = Source::of_file(Path::new("s.json"), &content);
    let root = source.without(&cut).parse();
    if root.is_ok_and(|root| cut.is_of_hooks(&root)) { cut.rules.len() } else { 0 }
}

fn is_unread(rule: &str) -> bool {
    unread(&format!(r#"{{"hooks":{{"BeforeTool":[{{"hooks":[{rule}]}}]}}}}"#)) == 1
}

fn with_rule(rule: &str) -> String {
    let other = r#"{"type": "rule", "when": {"command": "rm"}, "block": "é"}"#;
    format!(
        "{{\"hooks\": {{\"BeforeTool\": [\n  {{\"matcher\": \"x|é\", \"hooks\": [{other},\n {rule}, \
         {other}, {{}}, {{\"type\": \"rulee\"}}]}}]}}, \"hooksConfig\": {{\"typo\": 1}}}}"
    )
}

#[test]
fn usual_rules_are_left_unread_and_all_others_read() {
    for rule in [
        r#"{"type":"rule","name":"n","when":{"command":["tool delete --force","tool drop ... prod*"]},"block":"b"}"#,
        r#"{"type":"rule","when":{"command":"git push"},"ask":"a","instead":"i","unknown":"ask","examples":[["\n}"]]}"#,
        r#"{ "name":"" , "type":"rule","block":"}","description":"é","when" : { "command" : [ "mytool x" , "tool" ] } }"#,
        r#"{"block":"{","when":{"command":"tool"},"type":"rule"}"#,
    ] {
        assert!(is_unread(rule), "{rule}");
        let [unread, whole] = read_twice(&with_rule(rule));
        assert_eq!(unread, whole, "{rule}");
    }
    for rule in [
        r#"["rule"]"#,
        r#"{"type":"rule","when":{"command":"git push"},"block":"\"b\""}"#,
        r#"{"type":"rule","when":{"command":"git push"},"block":"b","ask":null}"#,
        r#"{"type":"rule","when":{"x":1,"command":"git push"},"block":"b"}"#,
        r#"{"type":"rule","when":{"command":["git push",7]},"block":"b"}"#,
        r#"{"type":"rule","when":{"command":"git push"}}"#,
        r#"{"type":"rule","when":[["git push"]],"block":"b"}"#,
        r#"{"type":"rule","when":[{"command":"git push"}],"block":"b"}"#,
        r#"{"type":{"rule":null},"when":{"command":"git push"},"block":"b"}"#,
        r#"{"type":"rule","when":{"command":[]},"block":"b"}"#,
        r#"{"type":"rule","when":{"command":["git push",["x"]]},"block":"b"}"#,
        r#"{"type":"rule","when":{"command":"git push","command":"x"},"block":"b"}"#,
        r#"{"type":"rule","when":{"command":"git push","writes":"x"},"block":"b"}"#,
        r#"{"type":"rule","when":{"command":"git push"},"block":" "}"#,
        r#"{"type":"rule","when":{"command":"git push"},"block":"b","block":"c"}"#,
        r#"{"type":"rule","when":{"command":"git push"},"block":"b","unknown":"allow"}"#,
        r#"{"type":"rule","when":{"command":"git push"},"block":"b","unknown":{"ask":null}}"#,
        r#"{"type":"rule","when":{"command":"git push"},"block":"b","timeout":1}"#,
        r#"{"type":"rule","when":{"command":"git push"},"block":"b","blok":1}"#,
        r#"{"type":"rule","when":{"command":"git push && x"},"block":"b"}"#,
        r#"{"type":"rule","when":{"command":"git 'push'"},"block":"b"}"#,
        r#"{"type":"rule","when":{"command":"A=1 git"},"block":"b"}"#,
        r#"{"type":"rule","when":{"command":"-x"},"block":"b"}"#,
        r#"{"type":"rule","when":{"command":"... x"},"block":"b"}"#,
        r#"{"type":"rule","when":{"command":""},"block":"b"}"#,
        r#"{"type":"rule","when":{"command":" "},"block":"b"}"#,
        r#"{"type":"rule","when":{"command":"g* push"},"block":"b"}"#,
        r#"{"type":"rule","when":{"command":"git [pu"},"block":"b"}"#,
        r#"{"type":"rule","when":{"command":"gît push"},"block":"b"}"#,
        r#"{"type":"rule","when":{"command":"git push"},"block":"b","examples":"\ud800"}"#,
        r#"{"type":"rule","when":{"command":"git push"},"block":"b","instead":"","x":1}"#,
        r#"{"type":"rule","when":{"command":"git push"},"context":"b"}"#,
    ] {
        assert!(!is_unread(rule), "{rule}");
        let [unread, whole] = read_twice(&with_rule(rule));
        assert_eq!(unread, whole, "{rule}");
    }
    let deep = format!(
        r#"{{"type":"rule","when":{{"command":"git"}},"block":"b","examples":{}{}}}"#,
        "[".repeat(600),
        "]".repeat(600)
    );
    let [unread, whole] = read_twice(&with_rule(&deep));
    assert_eq!(unread, whole);
    assert_eq!(unread.2.len(), 1, "the parser refuses it");
}

#[test]
fn rules_are_left_unread_only_where_hooks_are() {
    let rule = r#"{"type": "rule", "when": {"command": ["tool delete", "tool x"]}, "block": "b"}"#;
    for (count, text) in [
        (
            2,
            r#"{"hooks": {"BeforeTool": [{"hooks": [RULE, {"type": "command", "command": "\u0061 '{' // \""}, RULE]}]}}"#,
        ),
        (2, "{\"hooks\": {\r\n\"BeforeTool\": [{\"hooks\": [RULE]},\r\n{\"hooks\": [RULE,],}]}}"),
        (1, "{// \"\n\"hooks\": {\"BeforeTool\":[/*]*/{\"hooks\": [// {\"\nRULE/*RULE*/]}]}}\n// RULE"),
        (1, r#"{"x": "BeforeTool", "hooks": {"BeforeTool": [{"hooks": [RULE]}]}, "y": RULE}"#),
        (1, r#"{"hooks": {"BeforeTool": [{"hooks": [RULE]}], "AfterTool": [{"hooks": [RULE]}]}}"#),
        (0, r#"{/*"BeforeTool": [RULE]*/ "hooks": {"BeforeTool": [{"hooks": [RULE]}]}}"#),
        (0, r#"{"BeforeTool": [RULE], "hooks": {"BeforeTool": [{"hooks": [RULE]}]}}"#),
        (0, r#"{"hooks": {"BeforeTool": [{"hooks": [RULE]}], "BeforeTool": []}}"#),
        (0, r#"{"hooks": {"BeforeTool": [{"hooks": [RULE], "hooks": []}]}}"#),
        (0, r#"{"hooks": {"BeforeTool": [{"hooks": [[RULE]], "x": RULE}]}}"#),
        (0, r#"{"hooks": {"BeforeTool": [RULE, {"hooks": RULE}]}}"#),
        (0, r#"{"hooks": {"BeforeTool": RULE}}"#),
        (0, r#"{"hooks": {"BeforeTool": [{"hooks": [RULE RULE]}]}}"#),
        (0, r#"{"hooks": {"BeforeTool": [{"hooks": [RULE]}]}"#),
    ] {
        let text = text.replace("RULE", rule);
        assert_eq!(unread(&text), count, "{text}");
        let [unread, whole] = read_twice(&text);
        assert_eq!(unread, whole, "{text}");
    }
}

/// Fields of rules, most of them as they should be.
fn arbitrary_rule() -> impl Strategy<Value = String> {
    let pattern =
        r"(tool|git|\./x|[a-z.*?=-]{0,4}|\[)( (push|delete|--force|-f|\.\.\.|[a-z*;&>'-]{1,3})){0,3}";
    let field = prop_oneof![
        6 => pattern.prop_map(|text| format!(r#""when": {{"command": "{text}"}}"#)),
        4 => prop::collection::vec(pattern, 0..3)
            .prop_map(|texts| format!(r#""when": {{"command": {texts:?}}}"#)),
        12 => prop::sample::select(vec![
            r#""type":"rule""#, r#""type":"rule""#, r#""block":"b""#, r#""ask":"a""#, r#""ask": "\n""#,
            r#""unknown":"block""#, r#""unknown":"ask""#, r#""unknown":7"#, r#""instead":"i""#, r#""instead":"""#,
            r#""name":"n""#, r#""name":"""#, r#""name":[]"#, r#""description":"d""#, r#""examples":{"match":["x"]}"#,
            r#""examples":7"#, r#""context":"c""#, r#""then":{}"#, r#""when":{}"#, r#""when":null"#, r#""env":{}"#,
            r#""x":1"#, r#""\u0074ype":"rule""#, r#""block":null"#,
        ])
        .prop_map(str::to_owned),
    ];
    let usual = r#""type": "rule", "when": {"command": "tool delete"}, "block": "b""#;
    prop_oneof![
        prop::collection::vec(field.clone(), 0..6).prop_map(|fields| format!("{{{}}}", fields.join(", "))),
        field.prop_map(move |field| format!("{{{usual}, {field}}}")),
    ]
}

/// Settings with rules, between which is what could be taken for something else.
fn arbitrary_text() -> impl Strategy<Value = String> {
    let rule = r#"{"type": "rule", "when": {"command": "tool delete"}, "block": "b"}"#;
    let group = format!(r#"{{"hooks": [{rule}]}}"#);
    let event = format!(r#""BeforeTool": [{group}]"#);
    let fillers = [
        format!("{rule},"),
        format!("{group},"),
        format!("{event},"),
        format!(r#""AfterTool": [{group}],"#),
        format!(r#""hooks": {{{event}}},"#),
        format!(r#""x": {rule},"#),
        format!("// \"{{ {rule}\n"),
        format!("/* [{{\" {rule} */\r\n"),
        r#""x": "BeforeTool", "y": "\"{\u00e9","#.to_owned(),
        r#"{"type": "command", "command": "true", "timeout": 7},"#.to_owned(),
        "0,".to_owned(),
        ",".to_owned(),
        "\"".to_owned(),
        "{".to_owned(),
        "]".to_owned(),
    ];
    let filler = prop_oneof![3 => Just(String::new()), 1 => prop::sample::select(fillers.to_vec())];
    prop::collection::vec(filler, 8).prop_map(move |fillers| {
        let parts = [
            "{",
            r#""hooks": {"#,
            r#""BeforeTool": ["#,
            r#"{"hooks": ["#,
            rule,
            r#", {"x": 1}]}"#,
            "]}",
            "}",
        ];
        parts.into_iter().zip(fillers).map(|(part, filler)| part.to_owned() + &filler).collect()
    })
}

proptest! {
    #[test]
    fn no_rule_is_another_one_unread(rules in prop::collection::vec(arbitrary_rule(), 1..4)) {
        let [unread, whole] = read_twice(&with_rule(&rules.join(",\n ")));
        prop_assert_eq!(unread, whole);
    }

    #[test]
    fn no_text_says_something_else_unread(text in arbitrary_text()) {
        let [unread, whole] = read_twice(&text);
        prop_assert_eq!(unread, whole, "{}", text);
    }
}
