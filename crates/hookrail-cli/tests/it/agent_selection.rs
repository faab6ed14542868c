//! `BeforeToolSelection`: which tools the model may call, and that it is held to it.

use serde_json::{Value, json};

use crate::agent_scenario::{Scenario, answer, record, write};

fn tool_config(config: &Value) -> String {
    answer(&json!({ "hookSpecificOutput": { "toolConfig": config } }))
}

fn calling_config(request: &Value) -> &Value {
    &request["config"]["toolConfig"]["functionCallingConfig"]
}

/// HOOK-055, HOOK-137, HOOK-140, HOOK-154, HOOK-181: the restriction is sent, the definitions stay, and a
/// call to another tool is refused.
#[test]
fn the_allowed_list_is_sent_and_enforced() {
    let run = Scenario::new()
        .calls(&[write("a.txt", "x"), ("list_directory", json!({ "path": "." }))])
        .says("Done.")
        .hook(
            "BeforeToolSelection",
            tool_config(&json!({ "mode": "AUTO", "allowedFunctionNames": ["list_directory", "glob"] })),
        )
        .hook("BeforeTool", "true")
        .run("go");
    run.expect(0, "Done.\n");
    assert_eq!(
        calling_config(run.request(0)),
        &json!({ "mode": "AUTO", "allowedFunctionNames": ["glob", "list_directory"] }),
        "HOOK-055, HOOK-140"
    );
    let tools = &run.request(0)["config"]["tools"][0]["functionDeclarations"];
    assert_eq!(tools.as_array().unwrap().len(), 7, "HOOK-055, HOOK-137: definitions are passed through");
    assert_eq!(run.tools(), ["write_file denied", "list_directory success"], "HOOK-181");
    assert!(!run.project.dir().join("a.txt").exists());
    assert!(run.tool_responses(1)[0]["error"].as_str().unwrap().contains("not allowed"), "the model is told");
    assert_eq!(
        run.events().iter().filter(|event| **event == "BeforeTool").count(),
        1,
        "L12: the list comes first"
    );
}

/// HOOK-056: each mode is applied. HOOK-057: with `NONE` nothing may be called.
#[test]
fn modes_are_applied() {
    for (mode, expected, status) in [
        ("AUTO", json!({ "mode": "AUTO" }), "success"),
        ("ANY", json!({ "mode": "ANY" }), "success"),
        ("NONE", json!({ "mode": "NONE", "allowedFunctionNames": [] }), "denied"),
    ] {
        let run = Scenario::new()
            .calls(&[("list_directory", json!({ "path": "." }))])
            .says("Done.")
            .hook("BeforeToolSelection", tool_config(&json!({ "mode": mode })))
            .run("go");
        run.expect(0, "Done.\n");
        assert_eq!(calling_config(run.request(0)), &expected, "HOOK-056, HOOK-057");
        assert_eq!(run.tools(), [format!("list_directory {status}")], "HOOK-057: {mode}");
    }
}

/// HOOK-058, HOOK-181: a stop ends the run before anything is sent; a block has no effect.
#[test]
fn selection_hooks_stop_but_do_not_block() {
    let stop = answer(&json!({ "continue": false, "stopReason": "no tools today" }));
    let run = Scenario::new().says("never").hook("BeforeToolSelection", stop).run("go");
    run.expect(3, "");
    run.expect_printed("Agent execution stopped by hook: no tools today");
    assert!(run.lines("model_request").is_empty(), "HOOK-058");

    let run = Scenario::new().says("fine").hook("BeforeToolSelection", "echo no >&2; exit 2").run("go");
    run.expect(0, "fine\n");
}

/// HOOK-053, HOOK-054, HOOK-059, HOOK-205, L8: fired for every request with tools, after `BeforeModel`, with
/// the request as it is then.
#[test]
fn selection_hooks_see_the_request() {
    let change = json!({ "hookSpecificOutput": { "llm_request": { "config": { "temperature": 0.25 } } } });
    let run = Scenario::new()
        .calls(&[("list_directory", json!({ "path": "." }))])
        .says("Done.")
        .hook("BeforeModel", answer(&change))
        .hook_with("BeforeToolSelection", record("selection.jsonl"), json!({ "matcher": "no_such_tool" }))
        .hook("AfterModel", "true")
        .run("go");
    run.expect(0, "Done.\n");
    let order = ["BeforeModel", "BeforeToolSelection", "AfterModel"];
    assert_eq!(run.events(), [order, order].concat(), "HOOK-053, HOOK-059, L8");
    let seen = run.recorded("selection.jsonl");
    assert_eq!(seen[0]["hook_event_name"], "BeforeToolSelection", "HOOK-054");
    assert_eq!(seen[0]["llm_request"]["messages"][0]["content"], "go", "HOOK-054, HOOK-205");
    assert_eq!(seen[0]["llm_request"]["config"]["temperature"], 0.25, "HOOK-205: the real request");
}

/// Several hooks: names are united, the strictest mode wins.
#[test]
fn several_selections_are_united() {
    let run = Scenario::new()
        .says("Done.")
        .hook(
            "BeforeToolSelection",
            tool_config(&json!({ "mode": "AUTO", "allowedFunctionNames": ["glob"] })),
        )
        .hook(
            "BeforeToolSelection",
            tool_config(&json!({ "mode": "ANY", "allowedFunctionNames": ["read_file"] })),
        )
        .run("go");
    let expected = json!({ "mode": "ANY", "allowedFunctionNames": ["glob", "read_file"] });
    assert_eq!(calling_config(run.request(0)), &expected);
}
