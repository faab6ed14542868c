//! `BeforeTool` and `AfterTool`: what their hooks decide is what happens to a tool call.

use serde_json::json;

use crate::agent_scenario::{Scenario, answer, record, shell, write};

/// A model that writes a file and then answers that it is done.
fn writes_a_file() -> Scenario {
    Scenario::new().calls(&[write("a.txt", "hello")]).says("Done.")
}

/// HOOK-016a, HOOK-016b, HOOK-017, HOOK-177, HOOK-183: each way to refuse keeps the tool from running, and
/// the model receives the reason. HOOK-063, HOOK-156: what a hook prints on stdout counts.
#[test]
fn before_tool_blocks() {
    let reason = |decision: &str| answer(&json!({ "decision": decision, "reason": "not here" }));
    for (requirement, hook) in [
        ("HOOK-016a", "echo 'not here' >&2; exit 2".to_owned()),
        ("HOOK-016b", reason("block")),
        ("HOOK-156", reason("deny")),
        (
            "HOOK-063",
            answer(
                &json!({ "hookSpecificOutput": { "permissionDecision": "deny", "permissionDecisionReason": "not here" } }),
            ),
        ),
    ] {
        let run = writes_a_file().hook("BeforeTool", hook).run("write");
        run.expect(0, "Done.\n");
        assert!(!run.project.dir().join("a.txt").exists(), "{requirement}: the tool ran");
        assert_eq!(run.tools(), ["write_file blocked"], "{requirement}");
        assert_eq!(
            run.lines("tool_call")[0]["result"]["llmContent"],
            "not here",
            "HOOK-017, HOOK-183: {requirement}"
        );
        assert_eq!(run.tool_responses(1), [&json!({ "error": "not here" })], "HOOK-129: {requirement}");
        run.expect_printed("blocked write_file: not here");
        assert_eq!(run.events(), ["BeforeTool"], "HOOK-130: no second try, and no AfterTool: {requirement}");
    }
}

/// HOOK-129, HOOK-204: a blocked call goes from executing to idle, its result is buffered and published.
#[test]
fn a_blocked_call_is_a_completed_call() {
    let run = Scenario::new()
        .calls(&[write("a.txt", "hello"), ("list_directory", json!({ "path": "." }))])
        .says("Done.")
        .hook_with("BeforeTool", "exit 2", json!({ "matcher": "write" }))
        .args(&["--output-format", "stream-json"])
        .run("write");
    let lines: Vec<serde_json::Value> =
        run.stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let of_call = |id: &str| -> Vec<String> {
        let states = lines.iter().filter(|line| line["id"] == id && line["type"] != "tool_use");
        states
            .map(|line| line.get("state").or(line.get("status")).unwrap().as_str().unwrap().to_owned())
            .collect()
    };
    assert_eq!(of_call("call-1"), ["scheduled", "executing", "idle", "blocked"], "HOOK-204");
    assert_eq!(of_call("call-2"), ["scheduled", "executing", "idle", "success"], "the next call runs");
    assert_eq!(run.tool_responses(1).len(), 2, "HOOK-129: both results are published, in call order");
    assert_eq!(
        run.lines("model_request").len(),
        2,
        "HOOK-130: the model decides what is next, nothing is retried"
    );
}

/// HOOK-014, HOOK-015, HOOK-025, HOOK-026, HOOK-215: hooks see each call before and after it runs.
#[test]
fn hooks_see_a_call_before_and_after_it_runs() {
    let look = format!(
        "{}; ls a.txt >>\"$LLXPRT_PROJECT_DIR/seen.txt\" 2>&1 || echo none >>\"$LLXPRT_PROJECT_DIR/seen.txt\"",
        record("seen.jsonl")
    );
    let run =
        writes_a_file().hook("BeforeTool", &look).hook("AfterTool", format!("true; {look}")).run("write");
    run.expect(0, "Done.\n");
    let seen = run.project.read("seen.txt");
    assert!(!seen.starts_with("a.txt") && seen.ends_with("a.txt\n"), "HOOK-014, HOOK-025: {seen}");
    let [before, after] = run.recorded("seen.jsonl").try_into().unwrap();
    for (input, event) in [(&before, "BeforeTool"), (&after, "AfterTool")] {
        assert_eq!(input["hook_event_name"], event);
        assert_eq!(input["cwd"], run.project.dir().to_str().unwrap(), "HOOK-215");
        assert_eq!(input["session_id"], run.log[0]["sessionId"], "HOOK-215");
        let transcript = run.project.home().join("session.jsonl");
        assert_eq!(
            input["transcript_path"],
            transcript.to_str().unwrap(),
            "HOOK-161: the session log is the transcript"
        );
        let timestamp = input["timestamp"].as_str().unwrap();
        assert!(timestamp.len() == 24 && timestamp.ends_with('Z'), "{timestamp}");
        assert_eq!(input["tool_name"], "write_file", "HOOK-015");
        assert_eq!(
            input["tool_input"],
            json!({ "file_path": "a.txt", "content": "hello" }),
            "HOOK-015, HOOK-026"
        );
    }
    let response = after["tool_response"].as_object().unwrap();
    for field in ["llmContent", "returnDisplay", "metadata"] {
        assert!(response.contains_key(field), "HOOK-026: {field} in {response:?}");
    }
}

/// HOOK-018, HOOK-021, HOOK-022, HOOK-032: only hooks whose matcher fits run, and an allow changes nothing.
#[test]
fn matchers_pick_the_tools() {
    let allow = |word: &str| answer(&json!({ "decision": word }));
    let run = writes_a_file()
        .hook_with("BeforeTool", "exit 2", json!({ "matcher": "^(?!write_)" }))
        .hook_with("BeforeTool", allow("allow"), json!({ "matcher": "write_.*|replace" }))
        .hook("BeforeTool", allow("approve"))
        .hook_with("AfterTool", "exit 0", json!({ "matcher": "read_file" }))
        .hook_with("AfterTool", "true", json!({ "matcher": "write" }))
        .run("write");
    run.expect(0, "Done.\n");
    assert_eq!(run.tools(), ["write_file success"], "HOOK-018");
    let names: Vec<_> = run.lines("hook_call").iter().map(|line| line["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["BeforeTool-2", "BeforeTool-3", "AfterTool-2"], "HOOK-021, HOOK-022, HOOK-032");
}

/// HOOK-019, HOOK-177: the tool runs with the changed arguments, and `AfterTool` hooks see those.
#[test]
fn before_tool_changes_arguments() {
    let change = json!({ "hookSpecificOutput": { "tool_input": { "content": "changed" } } });
    let run = writes_a_file()
        .hook("BeforeTool", answer(&change))
        .hook("AfterTool", record("after.jsonl"))
        .run("write");
    run.expect(0, "Done.\n");
    assert_eq!(run.project.read("a.txt"), "changed", "HOOK-019");
    let expected = json!({ "file_path": "a.txt", "content": "changed" });
    assert_eq!(run.lines("tool_call")[0]["args"], expected, "the log tells what was executed");
    assert_eq!(run.recorded("after.jsonl")[0]["tool_input"], expected);
}

/// HOOK-024, HOOK-216: in a chain each hook sees what those before it made of the arguments.
#[test]
fn chained_hooks_build_on_each_other() {
    let append = |word: &str| {
        format!(
            "sed 's/.*\"content\":\"\\([a-z ]*\\)\".*/{{\"hookSpecificOutput\":{{\"tool_input\":{{\"content\":\"\\1 {word}\"}}}}}}/'"
        )
    };
    let run = writes_a_file()
        .hook_with("BeforeTool", append("one"), json!({ "sequential": true }))
        .hook_with("BeforeTool", append("two"), json!({ "sequential": true }))
        .run("write");
    assert_eq!(run.project.read("a.txt"), "hello one two", "HOOK-024, HOOK-216: {}", run.shown());
}

/// HOOK-020, HOOK-028, DELTA-HAPP-002: a stop ends the run with its reason; L10: the tool does not run.
#[test]
fn tool_hooks_stop_the_agent() {
    let stop = answer(&json!({ "continue": false, "stopReason": "enough" }));
    for (requirement, event, ran) in [("HOOK-020", "BeforeTool", false), ("HOOK-028", "AfterTool", true)] {
        let run = writes_a_file().hook(event, stop.clone()).run("write");
        run.expect(3, "");
        run.expect_printed("Agent execution stopped by hook: enough");
        assert_eq!(run.lines("stop")[0]["reason"], "enough", "DELTA-HAPP-002: {requirement}");
        assert_eq!(run.project.dir().join("a.txt").exists(), ran, "{requirement}");
        assert_eq!(run.lines("model_request").len(), 1, "{requirement}: the model is not asked again");
        assert_eq!(run.lines("session_end").len(), 1);
    }
}

/// O9: the reasons of several stopping hooks are all given.
#[test]
fn several_stops_are_one() {
    let stop = |reason: &str| answer(&json!({ "continue": false, "stopReason": reason }));
    let run = writes_a_file().hook("BeforeTool", stop("one")).hook("BeforeTool", stop("two")).run("write");
    run.expect(3, "");
    run.expect_printed("Agent execution stopped by hook: one\ntwo\n");
    assert_eq!(run.tools(), ["write_file cancelled"]);
}

/// O8: a block that also stops does both; calls after it do not start.
#[test]
fn a_block_and_a_stop_both_hold() {
    let both = json!({ "decision": "block", "reason": "no", "continue": false, "stopReason": "enough" });
    let run = Scenario::new()
        .calls(&[write("a.txt", "x"), write("b.txt", "x")])
        .hook_with("BeforeTool", answer(&both), json!({}))
        .run("write");
    run.expect(3, "");
    assert_eq!(run.tools(), ["write_file blocked", "write_file cancelled"]);
    assert_eq!(run.events(), ["BeforeTool"], "no hook is asked about a call that does not start");
}

/// HOOK-027, HOOK-030, HOOK-131, HOOK-178, HOOK-217: what `AfterTool` hooks add reaches the model.
/// HOOK-159: a system message is not an output of its own.
#[test]
fn after_tool_adds_to_what_the_model_sees() {
    let adds = json!({ "systemMessage": "be careful", "hookSpecificOutput": { "additionalContext": "it is a secret" } });
    let run = writes_a_file().hook("AfterTool", answer(&adds)).run("write");
    run.expect(0, "Done.\n");
    let response = run.tool_responses(1)[0]["output"].as_str().unwrap();
    assert!(
        response.ends_with("\n\nit is a secret\n\n[System] be careful"),
        "HOOK-027, HOOK-030, HOOK-131: {response}"
    );
    assert!(!run.stderr.lines().any(|line| line.trim() == "be careful"), "HOOK-159: {}", run.shown());
    run.expect_printed("message: be careful");
    assert_eq!(run.lines("tool_call")[0]["result"]["llmContent"], response, "HOOK-217");
}

/// HOOK-029, HOOK-132, HOOK-149, DELTA-HRUN-003: suppressed output is hidden from the user, not from the model.
#[test]
fn after_tool_hides_a_result_from_the_user_only() {
    let hides = answer(&json!({ "suppressOutput": true }));
    let go = |scenario: Scenario| scenario.calls(&[shell("echo top-secret")]).says("Done.").run("go");
    let shown = go(Scenario::new());
    shown.expect_printed("top-secret");
    let hidden = go(Scenario::new().hook("AfterTool", hides));
    assert!(!hidden.stderr.contains("top-secret"), "HOOK-029: {}", hidden.shown());
    assert_eq!(hidden.lines("tool_call")[0]["result"]["suppressDisplay"], true, "HOOK-132, HOOK-149");
    assert!(hidden.tool_responses(1)[0]["output"].as_str().unwrap().contains("top-secret"), "HOOK-029");
}

/// HOOK-178: `AfterTool` cannot block.
#[test]
fn after_tool_cannot_block() {
    let run = writes_a_file()
        .hook("AfterTool", answer(&json!({ "decision": "block", "reason": "late" })))
        .run("write");
    run.expect(0, "Done.\n");
    assert_eq!(run.tools(), ["write_file success"], "HOOK-178");
    assert!(!run.tool_responses(1)[0].to_string().contains("late"), "HOOK-178");
    run.expect_printed("block (has no effect here): late");
}

/// HOOK-127, HOOK-128, HOOK-133, HOOK-134, HOOK-150, HOOK-151: all hooks of a call are awaited, and each
/// effect of several hooks is applied.
#[test]
fn several_hooks_at_once() {
    let slow = |output: serde_json::Value| format!("sleep 0.1; {}", answer(&output));
    let run = writes_a_file()
        .hook("BeforeTool", slow(json!({ "hookSpecificOutput": { "tool_input": { "content": "changed" } } })))
        .hook("BeforeTool", slow(json!({ "systemMessage": "before" })))
        .hook("AfterTool", slow(json!({ "systemMessage": "one" })))
        .hook(
            "AfterTool",
            slow(json!({ "systemMessage": "two", "hookSpecificOutput": { "additionalContext": "context" } })),
        )
        .run("write");
    run.expect(0, "Done.\n");
    assert_eq!(run.project.read("a.txt"), "changed", "HOOK-127, HOOK-150");
    let response = run.tool_responses(1)[0]["output"].as_str().unwrap();
    assert!(
        response.ends_with("\n\ncontext\n\n[System] before\n\n[System] one\ntwo"),
        "HOOK-128, HOOK-133, HOOK-134, HOOK-151: {response}"
    );

    let run = writes_a_file()
        .hook("BeforeTool", answer(&json!({ "decision": "allow" })))
        .hook("BeforeTool", "echo no >&2; exit 2")
        .hook("BeforeTool", "echo fine")
        .run("write");
    assert_eq!(run.tools(), ["write_file blocked"], "one no is enough");
}

/// A tool that does not exist or got bad arguments gives an error that the model can read.
#[test]
fn unknown_tools_are_errors() {
    let run = Scenario::new()
        .calls(&[("make_coffee", json!({})), ("read_file", json!({ "file_path": "../../etc/passwd" }))])
        .says("Done.")
        .hook("BeforeTool", "true")
        .run("go");
    run.expect(0, "Done.\n");
    assert_eq!(run.tools(), ["make_coffee error", "read_file error"]);
    assert!(run.tool_responses(1)[0]["error"].as_str().unwrap().contains("There is no tool `make_coffee`"));
}

/// Readers run side by side: each waits until the other has started, which only works if both run.
#[test]
fn readers_run_side_by_side_and_writers_in_order() {
    let meet = "me=$RANDOM$$; touch \"$LLXPRT_PROJECT_DIR/meet.$me\"; for i in $(seq 500); do \
        [ $(ls \"$LLXPRT_PROJECT_DIR\"/meet.* | wc -l) -ge 2 ] && exit 0; sleep 0.05; done; exit 2";
    let list = ("list_directory", json!({ "path": "." }));
    let run = Scenario::new()
        .calls(&[list.clone(), list])
        .calls(&[shell("sleep 0.1; echo first >>order"), shell("echo second >>order")])
        .says("Done.")
        .hook_with("BeforeTool", meet, json!({ "matcher": "list_directory" }))
        .run("go");
    run.expect(0, "Done.\n");
    assert_eq!(run.tools()[..2], ["list_directory success", "list_directory success"]);
    assert_eq!(run.project.read("order"), "first\nsecond\n");
}

/// Approval comes after the hooks and sees what they made of the call; no hook can loosen it.
#[test]
fn approval_is_not_loosened_by_hooks() {
    for (mode, expected) in [
        ("default", ["write_file denied", "run_shell_command denied"]),
        ("auto_edit", ["write_file success", "run_shell_command denied"]),
        ("yolo", ["write_file success", "run_shell_command success"]),
    ] {
        let run = Scenario::new()
            .approval(mode)
            .calls(&[write("a.txt", "x"), shell("true")])
            .says("Done.")
            .hook("BeforeTool", answer(&json!({ "decision": "approve", "hookSpecificOutput": { "permissionDecision": "allow" } })))
            .hook("AfterTool", "true")
            .run("go");
        run.expect(0, "Done.\n");
        assert_eq!(run.tools(), expected, "{mode}");
        let after = run.events().iter().filter(|event| **event == "AfterTool").count();
        let ran = run.tools().iter().filter(|tool| tool.ends_with("success")).count();
        assert_eq!(after, ran, "{mode}: AfterTool hears of tools that ran, and only of those");
    }
}

/// O7, HOOK-182, HOOK-125: `ask` is asked in every approval mode; without a person to answer, the call is refused.
#[test]
fn an_ask_without_a_person_to_answer_is_a_refusal_with_the_reason() {
    let words = json!({ "permissionDecision": "ask", "permissionDecisionReason": "is it safe?" });
    for output in
        [json!({ "decision": "ask", "reason": "is it safe?" }), json!({ "hookSpecificOutput": words })]
    {
        for mode in ["default", "auto_edit", "yolo"] {
            let run = writes_a_file()
                .approval(mode)
                .hook("BeforeTool", answer(&output))
                .hook("Notification", record("notified.jsonl"))
                .run("write");
            run.expect(0, "Done.\n");
            assert!(!run.project.dir().join("a.txt").exists(), "O7: {mode}");
            assert_eq!(run.tools(), ["write_file denied"], "O7: {mode}");
            let told = run.tool_responses(1)[0]["error"].as_str().unwrap().to_owned();
            assert!(told.contains("a person's decision") && told.contains("is it safe?"), "{told}");
            run.expect_printed("a hook requires a person to decide");
            assert_eq!(run.recorded("notified.jsonl")[0]["details"]["reason"], "is it safe?");
        }
    }
    let run = Scenario::new()
        .calls(&[("list_directory", json!({ "path": "." }))])
        .says("Done.")
        .hook("BeforeTool", answer(&json!({ "decision": "ask" })))
        .run("look");
    assert_eq!(run.tools(), ["list_directory denied"], "O7: also for tools that never ask by themselves");
    let run = writes_a_file()
        .hook("BeforeTool", answer(&json!({ "decision": "ask" })))
        .setting("hooksConfig", json!({ "ask": "allow" }))
        .run("write");
    assert_eq!(run.tools(), ["write_file success"], "O7: the specification's first reading");
}

/// O22, HOOK-178, HOOK-217: a replaced result is what the model and the person get; the log has both.
#[test]
fn after_tool_replaces_the_result() {
    let replaced =
        json!({ "hookSpecificOutput": { "tool_response": "[redacted]", "additionalContext": "ask Bob" } });
    let run = Scenario::new()
        .calls(&[shell("echo the secret")])
        .says("Done.")
        .hook("AfterTool", answer(&replaced))
        .run("show");
    run.expect(0, "Done.\n");
    assert_eq!(run.tool_responses(1), [&json!({ "output": "[redacted]\n\nask Bob" })], "O22");
    run.expect_printed("tool run_shell_command (success): [redacted]");
    let line = run.lines("tool_call")[0];
    assert_eq!(line["result"]["returnDisplay"], "[redacted]", "O22");
    assert!(line["originalResult"]["llmContent"].as_str().unwrap().contains("the secret"), "O22: {line}");
    let run = writes_a_file().run("write");
    assert!(run.lines("tool_call")[0].get("originalResult").is_none(), "only where there are two");
}

/// A call of our own tools without what decides is refused where a guard depends on it.
#[test]
fn a_call_that_cannot_be_read_is_refused() {
    for (call, status) in [
        (("run_shell_command", json!({ "cmd": "touch made.txt" })), "blocked"),
        (("run_shell_command", json!({ "command": ["touch", 5] })), "blocked"),
        (("write_file", json!({ "filePath": "made.txt", "content": "" })), "blocked"),
        (("list_directory", json!({ "path": "." })), "success"),
    ] {
        let run = Scenario::new()
            .calls(std::slice::from_ref(&call))
            .says("Done.")
            .hook_with("BeforeTool", "cat > /dev/null", json!({ "matcher": "run_shell_command|write_file" }))
            .run("go");
        run.expect(0, "Done.\n");
        assert_eq!(run.tools(), [format!("{} {status}", call.0)], "{call:?}");
        if status == "blocked" {
            run.expect_printed("hookrail doctor --live");
        }
    }
}
