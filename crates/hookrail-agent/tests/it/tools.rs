//! Every tool, called by name as the scheduler does.

mod files;
mod search;
mod shell;

use std::path::PathBuf;

use hookrail::{JsonObject, ToolResult};
use hookrail_agent::tools::{ToolContext, ToolKind, ToolTable};
use hookrail_testkit::TestProject;
use proptest::prelude::*;
use proptest::strategy::Union;
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

fn context(project: impl Into<PathBuf>) -> ToolContext {
    ToolContext { project: project.into(), cancel: CancellationToken::new(), ..ToolContext::default() }
}

fn object(args: Value) -> JsonObject {
    match args {
        Value::Object(object) => object,
        other => panic!("arguments are an object, not {other}"),
    }
}

/// Calls a tool in a project.
async fn call(project: &TestProject, tool: &str, args: Value) -> ToolResult {
    let table = ToolTable::standard();
    table.get(tool).expect("a tool of the table").run(object(args), &context(project.dir())).await
}

/// The text for the model, or the kind of the error.
fn brief(result: &ToolResult) -> String {
    match &result.error {
        None => result.llm_content.to_text(),
        Some(error) => {
            assert_eq!(result.llm_content.to_text(), error.message, "the model reads the message");
            error.kind.clone().expect("a kind for programs")
        }
    }
}

#[test]
fn the_table_knows_seven_tools() {
    let table = ToolTable::standard();
    let facts: Vec<(&str, ToolKind, Vec<String>)> = table
        .names()
        .into_iter()
        .zip(table.declarations())
        .map(|(name, declaration)| {
            assert_eq!(declaration["name"], name);
            assert!(declaration["description"].as_str().is_some_and(|text| text.len() > 40));
            let parameters = &declaration["parameters"];
            assert_eq!(parameters["type"], "OBJECT");
            let required = parameters["required"].as_array().unwrap();
            let arguments = parameters["properties"].as_object().unwrap().iter().map(|(name, property)| {
                assert!(matches!(property["type"].as_str(), Some("STRING" | "INTEGER")), "{property}");
                let mark = if required.contains(&json!(name)) { "" } else { "?" };
                format!("{name}{mark}")
            });
            (name, table.get(name).unwrap().kind, arguments.collect())
        })
        .collect();
    let expected = [
        ("read_file", ToolKind::ReadOnly, vec!["file_path", "offset?", "limit?"]),
        ("write_file", ToolKind::Edit, vec!["file_path", "content"]),
        ("replace", ToolKind::Edit, vec!["file_path", "old_string", "new_string", "expected_replacements?"]),
        ("list_directory", ToolKind::ReadOnly, vec!["path"]),
        ("glob", ToolKind::ReadOnly, vec!["pattern", "path?"]),
        ("search_file_content", ToolKind::ReadOnly, vec!["pattern", "path?", "include?"]),
        ("run_shell_command", ToolKind::Execute, vec!["command", "directory?"]),
    ]
    .map(|(name, kind, arguments)| {
        (name, kind, arguments.into_iter().map(str::to_owned).collect::<Vec<_>>())
    });
    assert_eq!(facts, expected);
    assert!(table.get("no_such_tool").is_none());
}

#[test]
fn titles_show_in_one_line_what_a_call_would_do() {
    let table = ToolTable::standard();
    for (tool, args, expected) in [
        ("read_file", json!({"file_path": "src/main.rs"}), "read src/main.rs"),
        (
            "write_file",
            json!({"file_path": "src/main.rs", "content": "x".repeat(120)}),
            "write src/main.rs (120 bytes)",
        ),
        (
            "replace",
            json!({"file_path": "a", "old_string": "one", "new_string": "three"}),
            "edit a (3 → 5 bytes)",
        ),
        ("list_directory", json!({"path": "."}), "list ."),
        ("glob", json!({"pattern": "*.rs", "path": "src"}), "find *.rs in src"),
        ("search_file_content", json!({"pattern": "fn main"}), "search for fn main"),
        ("run_shell_command", json!({"command": "cargo test"}), "run: cargo test"),
        ("run_shell_command", json!({"command": "ls", "directory": "src"}), "run: ls (in src)"),
        (
            "run_shell_command",
            json!({"command": "ls\n\u{1b}[2Jrm -rf ~ \u{202e}"}),
            "run: ls\\n\\u{1b}[2Jrm -rf ~ \\u{202e}",
        ),
        ("run_shell_command", json!({}), "run: ?"),
        ("write_file", json!({"file_path": 7}), "write 7 (0 bytes)"),
    ] {
        assert_eq!(table.get(tool).unwrap().title(&object(args)), expected);
    }
}

#[tokio::test]
async fn missing_and_mistyped_arguments_are_named() {
    let project = TestProject::new();
    for (tool, args, expected) in [
        ("read_file", json!({}), "argument `file_path` is missing; expected a string"),
        ("read_file", json!({"file_path": ""}), "argument `file_path` must not be empty"),
        ("read_file", json!({"file_path": ["a"]}), "argument `file_path` must be a string, not an array"),
        (
            "read_file",
            json!({"file_path": "a", "offset": "3"}),
            "argument `offset` must be a whole number of at least 0, not a string",
        ),
        ("read_file", json!({"file_path": "a", "limit": 0}), "argument `limit` must be at least 1"),
        ("write_file", json!({"file_path": "a"}), "argument `content` is missing; expected a string"),
        (
            "write_file",
            json!({"file_path": "a", "content": {}}),
            "argument `content` must be a string, not an object",
        ),
        (
            "write_file",
            json!({"file_path": "a/", "content": ""}),
            "`a/` names a folder; expected the name of a file",
        ),
        (
            "replace",
            json!({"file_path": "a", "old_string": "x"}),
            "argument `new_string` is missing; expected a string",
        ),
        ("list_directory", json!({"path": true}), "argument `path` must be a string, not a boolean"),
        ("glob", json!({"path": "."}), "argument `pattern` is missing; expected a string"),
        ("search_file_content", json!({"pattern": ""}), "argument `pattern` must not be empty"),
        ("run_shell_command", json!({"command": "  "}), "argument `command` must not be empty"),
        (
            "run_shell_command",
            json!({"command": "a\u{0}b"}),
            "argument `command` must not contain a zero byte",
        ),
    ] {
        let result = call(&project, tool, args.clone()).await;
        let error = result.error.expect("an error");
        assert_eq!(
            (error.message.as_str(), error.kind.as_deref()),
            (expected, Some("invalid_tool_params")),
            "{args}"
        );
    }
    let entries = std::fs::read_dir(project.dir()).unwrap().count();
    assert_eq!(entries, 0, "a call with wrong arguments does nothing");
}

#[tokio::test]
async fn a_cancelled_call_does_nothing() {
    let project = TestProject::new();
    project.file("a", "old");
    let context = context(project.dir());
    context.cancel.cancel();
    for (tool, args) in [
        ("read_file", json!({"file_path": "a"})),
        ("write_file", json!({"file_path": "a", "content": "new"})),
        ("replace", json!({"file_path": "a", "old_string": "old", "new_string": "new"})),
        ("search_file_content", json!({"pattern": "old"})),
        ("run_shell_command", json!({"command": "echo new > a"})),
    ] {
        let result = ToolTable::standard().get(tool).unwrap().run(object(args), &context).await;
        assert_eq!(brief(&result), "cancelled", "{tool}");
    }
    assert_eq!(project.read("a"), "old");
}

/// Any JSON, not too deep.
fn any_json() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        ".{0,12}".prop_map(Value::from),
        "[./*?\\[\\]{}!a-c\\\\(+|~-]{0,12}".prop_map(Value::from),
    ];
    leaf.prop_recursive(2, 8, 3, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..3).prop_map(Value::from),
            prop::collection::vec((".{0,4}", inner), 0..3)
                .prop_map(|entries| Value::Object(entries.into_iter().collect())),
        ]
    })
}

/// Arguments under the names that tools look for, and some others; `command` is always harmless.
fn any_args() -> impl Strategy<Value = Value> {
    const NAMES: [&str; 11] = [
        "file_path",
        "content",
        "offset",
        "limit",
        "old_string",
        "new_string",
        "expected_replacements",
        "path",
        "pattern",
        "include",
        "directory",
    ];
    let name =
        Union::new(NAMES.map(|name| Just(name.to_owned()).boxed()).into_iter().chain([".{0,4}".boxed()]));
    let command =
        prop_oneof![Just(json!("true")), Just(json!("exit 3")), Just(Value::Null), Just(json!([1]))];
    (prop::collection::vec((name, any_json()), 0..8), command).prop_map(|(entries, command)| {
        let mut args: JsonObject = entries.into_iter().filter(|(name, _)| name != "command").collect();
        args.insert("command".to_owned(), command);
        Value::Object(args)
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]

    #[test]
    fn no_arguments_make_a_tool_panic_or_leave_the_project(args in any_args()) {
        let project = TestProject::new();
        project.file("a", "b\n");
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        let table = ToolTable::standard();
        let before = std::fs::read_dir(project.home()).unwrap().count();
        for name in table.names() {
            let tool = table.get(name).unwrap();
            prop_assert_eq!(tool.title(&object(args.clone())).lines().count(), 1);
            let result = runtime.block_on(tool.run(object(args.clone()), &context(project.dir())));
            let kind = result.error.and_then(|error| error.kind);
            prop_assert_ne!(kind.as_deref(), Some("tool_failed"), "{} panicked", name);
        }
        prop_assert_eq!(std::fs::read_dir(project.home()).unwrap().count(), before);
    }
}
