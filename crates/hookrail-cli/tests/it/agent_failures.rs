//! Broken hooks: an operation goes on without them, unless they are set to block on failure.

use serde_json::json;

use crate::agent_scenario::{Scenario, write};

/// Ways to give no verdict, each with its line in the trace.
fn broken_hooks() -> [(&'static str, serde_json::Value); 4] {
    [
        ("echo oops >&2; exit 1", json!({})),
        ("kill -9 $$", json!({})),
        ("sleep 30", json!({ "timeout": 100 })),
        ("head -c 300000 /dev/zero | tr '\\0' '['", json!({})),
    ]
}

/// HOOK-023, HOOK-031, HOOK-042, HOOK-052, HOOK-060, HOOK-110: whatever event a hook is broken in, the agent
/// goes on as if it were not there, and the trace has what happened.
#[test]
fn broken_hooks_stop_nothing() {
    for (command, fields) in broken_hooks() {
        let mut scenario = Scenario::new().calls(&[write("a.txt", "hello")]).says("Done.");
        for event in ["BeforeTool", "AfterTool", "BeforeModel", "AfterModel", "BeforeToolSelection"] {
            scenario = scenario.hook_with(event, command, fields.clone());
        }
        let run = scenario.run("write");
        run.expect(0, "Done.\n");
        assert_eq!(run.tools(), ["write_file success"], "HOOK-023, HOOK-110: {command}");
        assert_eq!(run.project.read("a.txt"), "hello");
        let result = run.lines("tool_call")[0]["result"]["llmContent"].as_str().unwrap();
        assert!(!result.contains("[System]") && !result.contains("oops"), "HOOK-031: {result}");
        assert!(!run.request(0).to_string().contains("[System]"), "HOOK-042: {command}");
        assert!(run.request(0)["config"].get("toolConfig").is_none(), "HOOK-060: {command}");
        assert_eq!(run.lines("model_response")[0]["modified"], false, "HOOK-052: {command}");
        for event in ["BeforeTool", "AfterTool", "BeforeModel", "AfterModel", "BeforeToolSelection"] {
            run.expect_printed(&format!("hook {event}-1 ({event}, "));
        }
        assert!(run.stderr.matches("failed, so the ").count() >= 5, "{}", run.shown());
        let calls = run.lines("hook_call");
        assert!(calls.iter().all(|call| call["success"] == false && !call["error"].is_null()), "{command}");
    }
}

/// HOOK-023: a failure is logged as a warning with exit code and stderr.
#[test]
fn failures_are_warnings_in_the_debug_log() {
    let run = Scenario::new()
        .calls(&[write("a.txt", "hello")])
        .says("Done.")
        .hook("BeforeTool", "echo oops >&2; exit 7")
        .env("DEBUG", "llxprt:core:hooks:*")
        .run("write");
    let warning = run.stderr.lines().find(|line| line.contains("WARN") && line.contains("BeforeTool-1"));
    let warning = warning.unwrap_or_else(|| panic!("HOOK-023: {}", run.shown()));
    assert!(warning.contains("exit_code=7") && warning.contains("oops"), "HOOK-023: {warning}");
}

/// `onFailure: "block"`: no verdict means no.
#[test]
fn hooks_may_block_on_failure() {
    for (command, mut fields) in broken_hooks() {
        fields["onFailure"] = json!("block");
        let run = Scenario::new()
            .calls(&[write("a.txt", "hello")])
            .says("Done.")
            .hook_with("BeforeTool", command, fields)
            .run("write");
        run.expect(0, "Done.\n");
        assert_eq!(run.tools(), ["write_file blocked"], "{command}");
        run.expect_printed("gave no verdict");
    }
}

/// A hook that succeeds without output has no line; `--quiet` hides the trace but not the answer.
#[test]
fn silent_hooks_and_quiet_runs() {
    let run = Scenario::new().says("hi").hook("BeforeModel", "true").run("hi");
    run.expect(0, "hi\n");
    assert_eq!(run.stderr, "");
    let run = Scenario::new()
        .calls(&[write("a.txt", "x")])
        .says("hi")
        .hook("BeforeTool", "echo 'no way' >&2; exit 2")
        .args(&["--quiet"])
        .run("hi");
    run.expect(0, "hi\n");
    assert_eq!(run.stderr, "");
}

/// Nothing that hooks and models print is acted on by a terminal.
#[test]
fn the_trace_is_one_line_and_escaped() {
    let run = Scenario::new()
        .calls(&[write("a.txt", "x")])
        .says("Done.")
        .hook("BeforeTool", "printf 'red \\033[31m\\nsecond line' >&2; exit 2")
        .run("hi");
    run.expect_printed("red \\u{1b}[31m\\nsecond line");
    assert!(!run.stderr.contains('\u{1b}'), "{}", run.shown());
}
