//! Hooks around tools: what the triggers return and what `execute_tool_with_hooks` does with it.

use std::borrow::Cow;
use std::sync::atomic::{AtomicBool, Ordering};

use hookrail::components::Event;
use hookrail::effects::ToolGate;
use hookrail::{
    BlockCause, Decider, EventName, HookSession, JsonObject, Permission, PermissionRequest,
    PermissionSubject, StopReason, ToolContent, ToolEnd, ToolOutcome, ToolResult, permit_unless_asked,
};
use hookrail_testkit::TestProject;
use serde_json::{Value, json};

use crate::kit::{
    ToolExecution, chained, command, execute_tool_with_hooks, object, on, says, session, tool_block,
    untouched, with_hooks,
};

fn input() -> JsonObject {
    object(json!({ "path": "a.txt", "mode": { "append": true } }))
}

/// Runs a tool that says what it was given, between its hooks.
async fn execute(session: &HookSession) -> (ToolExecution, bool) {
    let ran = AtomicBool::new(false);
    let tool = async |given: &JsonObject| {
        ran.store(true, Ordering::Relaxed);
        ToolResult::text(Value::Object(given.clone()).to_string())
    };
    let execution = execute_tool_with_hooks(session, "write_file", input(), permit_unless_asked, tool).await;
    (execution, ran.into_inner())
}

#[tokio::test]
async fn before_tool_blocks_by_exit_code_or_decision() {
    for (requirement, command, reason) in [
        ("HOOK-016a, HOOK-127, HOOK-150", "echo not this one >&2; exit 2".to_owned(), "not this one"),
        ("HOOK-016b, HOOK-063", says(&json!({ "decision": "block", "reason": "no" })), "no"),
        ("HOOK-016b, HOOK-156", says(&json!({ "decision": "deny", "reason": "no way" })), "no way"),
        ("HOOK-067b", "exit 2".to_owned(), "Blocked by hook"),
        (
            "HOOK-169, HOOK-170",
            says(&json!({ "hookSpecificOutput": {
                "permissionDecision": "deny", "permissionDecisionReason": "not permitted" } })),
            "not permitted",
        ),
    ] {
        let (_project, session) = with_hooks("BeforeTool", &[&command]);
        let given = input();
        let result = session.fire_before_tool("write_file", &given).await;
        assert!(result.notes.output.as_ref().unwrap().blocks(EventName::BeforeTool), "{requirement}");
        let block = tool_block(&result).unwrap();
        assert_eq!((block.reason.as_str(), block.cause), (reason, BlockCause::Policy), "{requirement}");

        let (execution, ran) = execute(&session).await;
        assert!(!ran && execution.blocked, "HOOK-014, HOOK-177, {requirement}: the tool does not run");
        let content = execution.result.llm_content;
        assert_eq!(content, ToolContent::Text(reason.to_owned()), "HOOK-017, HOOK-183: {requirement}");
        assert_eq!(execution.result.error.unwrap().kind.as_deref(), Some("hook_blocked"));
        assert_eq!(execution.stop, None);
    }
}

#[tokio::test]
async fn before_tool_lets_the_tool_run() {
    for (requirement, command) in [
        ("HOOK-018", says(&json!({ "decision": "allow" }))),
        ("HOOK-018", says(&json!({ "decision": "approve" }))),
        ("HOOK-018, HOOK-158", says(&json!({ "reason": "just so" }))),
        ("HOOK-158", says(&json!({ "decision": null }))),
        ("an unknown word", says(&json!({ "decision": "perhaps" }))),
        ("HOOK-065", "true".to_owned()),
        ("HOOK-023, HOOK-110", "exit 1".to_owned()),
        ("HOOK-023, HOOK-198", format!("{}; exit 3", says(&json!({ "decision": "block" })))),
        ("HOOK-023: killed", "kill -9 $$".to_owned()),
        ("HOOK-023: not there", "/no/such/program".to_owned()),
    ] {
        let (_project, session) = with_hooks("BeforeTool", &[&command]);
        let given = input();
        let verdict = session.fire_before_tool("write_file", &given).await;
        assert_eq!(verdict.gate, ToolGate::Run { tool_input: Cow::Borrowed(&given) }, "{requirement}");
        let (execution, ran) = execute(&session).await;
        assert!(ran && !execution.blocked && execution.stop.is_none(), "{requirement}");
        let expected = ToolResult::text(Value::Object(input()).to_string());
        assert_eq!(execution.result, expected, "{requirement}: the result is the tool's own");
    }
}

#[tokio::test]
async fn a_hook_that_times_out_lets_the_tool_run() {
    let project = TestProject::new();
    let mut hook = command("sleep 60");
    hook["timeout"] = 100.into();
    project.user_settings(&on("BeforeTool", &[hook]));
    let session = session(&project);
    assert!(untouched(&session.fire_before_tool("x", &input()).await), "HOOK-023, HOOK-119");
}

#[tokio::test]
async fn changed_arguments_are_what_the_tool_runs_with() {
    let changes = |fields: Value| command(&says(&json!({ "hookSpecificOutput": { "tool_input": fields } })));
    for (requirement, settings, expected) in [
        (
            "HOOK-019: the given fields change, the others stay",
            on("BeforeTool", &[changes(json!({ "path": "b.txt" }))]),
            json!({ "path": "b.txt", "mode": { "append": true } }),
        ),
        (
            "HOOK-019, HOOK-216: nested objects are replaced",
            on("BeforeTool", &[changes(json!({ "mode": { "create": true } }))]),
            json!({ "path": "a.txt", "mode": { "create": true } }),
        ),
        (
            "later wins in plan order",
            on("BeforeTool", &[changes(json!({ "path": "1", "x": 1 })), changes(json!({ "path": "2" }))]),
            json!({ "path": "2", "mode": { "append": true }, "x": 1 }),
        ),
        (
            "HOOK-024, HOOK-106, HOOK-216: a chain adds up",
            chained(
                "BeforeTool",
                &[
                    changes(json!({ "path": "1" })),
                    command(
                        r#"grep -q '"path":"1"' && echo '{"hookSpecificOutput":{"tool_input":{"seen":true}}}'"#,
                    ),
                ],
            ),
            json!({ "path": "1", "mode": { "append": true }, "seen": true }),
        ),
    ] {
        let project = TestProject::new();
        project.user_settings(&settings);
        let (execution, ran) = execute(&session(&project)).await;
        assert!(ran, "{requirement}");
        let given: Value = serde_json::from_str(&execution.result.llm_content.to_text()).unwrap();
        assert_eq!(given, expected, "HOOK-177: {requirement}");
    }
}

#[tokio::test]
async fn before_tool_stops_the_agent() {
    let stop = json!({ "continue": false, "stopReason": "enough" });
    let (_project, session) = with_hooks("BeforeTool", &[&says(&stop)]);
    let (execution, ran) = execute(&session).await;
    assert!(!ran, "HOOK-020: the tool does not run");
    assert!(!execution.blocked, "a stop is not a block");
    assert_eq!(execution.stop, Some(StopReason::new("enough")), "HOOK-020, DELTA-HAPP-002");
    assert_eq!(execution.result.llm_content.to_text(), "Agent execution stopped by hook: enough");

    let both = json!({ "continue": false, "decision": "block", "reason": "no" });
    let (_project, session) = with_hooks("BeforeTool", &[&says(&both)]);
    let (execution, ran) = execute(&session).await;
    assert!(!ran && execution.blocked, "both hold");
    assert_eq!(execution.stop, Some(StopReason::new("no")), "the reason stands in for a stop reason");
    assert_eq!(execution.result.llm_content.to_text(), "no");

    let (_project, session) = with_hooks("BeforeTool", &[&says(&json!({ "continue": false }))]);
    let given = input();
    let verdict = session.fire_before_tool("x", &given).await;
    let reason = StopReason::new("Hook requested stop");
    assert_eq!(verdict.gate, ToolGate::Stop { reason }, "DELTA-HRUN-002");
}

#[tokio::test]
async fn only_matching_hooks_are_asked() {
    let project = TestProject::new();
    let group = |matcher: Option<&str>, file: &str| {
        let mut group = json!({ "hooks": [command(&format!("touch {file}"))] });
        if let Some(matcher) = matcher {
            group["matcher"] = matcher.into();
        }
        group
    };
    project.user_settings(&json!({ "enableHooks": true, "hooks": {
        "BeforeTool": [group(Some("^write_"), "b1"), group(Some("^read_"), "b-never"), group(None, "b2")],
        "AfterTool": [group(Some("_file$"), "a1"), group(Some("shell"), "a-never"), group(None, "a2")],
    } }));
    let (_, ran) = execute(&session(&project)).await;
    assert!(ran);
    for (requirement, file, expected) in [
        ("HOOK-021, HOOK-162", "b1", true),
        ("HOOK-021, HOOK-162", "b-never", false),
        ("HOOK-022", "b2", true),
        ("HOOK-032, HOOK-162", "a1", true),
        ("HOOK-032, HOOK-162", "a-never", false),
        ("HOOK-032", "a2", true),
    ] {
        assert_eq!(project.dir().join(file).exists(), expected, "{requirement}: {file}");
    }
}

#[tokio::test]
async fn hooks_run_right_before_and_right_after_the_tool() {
    let project = TestProject::new();
    project.user_settings(&json!({ "enableHooks": true, "hooks": {
        "BeforeTool": [{ "hooks": [command("echo before >> order")] }],
        "AfterTool": [{ "hooks": [command("cat > after.json; echo after >> order")] }],
    } }));
    let session = session(&project);
    let execution =
        execute_tool_with_hooks(&session, "write_file", input(), permit_unless_asked, async |_| {
            assert_eq!(project.read("order"), "before\n", "HOOK-014, HOOK-133");
            project.file("order", "before\ntool\n");
            ToolResult { metadata: Some(object(json!({ "n": 1 }))), ..ToolResult::failure("oops", "io") }
        })
        .await;
    assert_eq!(project.read("order"), "before\ntool\nafter\n", "HOOK-025, HOOK-133");
    assert_eq!(execution.result.llm_content.to_text(), "oops");
    let seen: Value = serde_json::from_str(&project.read("after.json")).unwrap();
    assert_eq!(seen["tool_input"], Value::Object(input()), "HOOK-026");
    let expected = json!({
        "llmContent": "oops", "returnDisplay": "oops", "metadata": { "n": 1 },
        "error": { "message": "oops", "type": "io" },
    });
    assert_eq!(seen["tool_response"], expected, "HOOK-026");
}

#[tokio::test]
async fn after_tool_hooks_see_the_arguments_the_tool_ran_with() {
    let project = TestProject::new();
    project.user_settings(&json!({ "enableHooks": true, "hooks": {
        "BeforeTool": [{ "hooks": [command(&says(&json!({ "hookSpecificOutput": { "tool_input": { "path": "b" } } })))] }],
        "AfterTool": [{ "hooks": [command("cat > after.json")] }],
    } }));
    let (_, ran) = execute(&session(&project)).await;
    assert!(ran);
    let seen: Value = serde_json::from_str(&project.read("after.json")).unwrap();
    assert_eq!(seen["tool_input"]["path"], "b", "HOOK-026");
}

#[tokio::test]
async fn what_hooks_add_follows_the_result_in_a_fixed_order() {
    let project = TestProject::new();
    let after = |context: &str, message: &str, suppress: bool| {
        command(&says(&json!({
            "systemMessage": message, "suppressOutput": suppress,
            "hookSpecificOutput": { "additionalContext": context },
        })))
    };
    project.user_settings(&json!({ "enableHooks": true, "hooks": {
        "BeforeTool": [{ "hooks": [command("echo from before")] }],
        "AfterTool": [{ "hooks": [after("c1", "m1", false), after("c2", "m2", true)] }],
    } }));
    let session = session(&project);
    let execution = execute_tool_with_hooks(&session, "ls", input(), permit_unless_asked, async |_| {
        ToolResult::text("files")
    })
    .await;
    let expected = "files\n\nc1\nc2\n\n[System] from before\n\n[System] m1\nm2";
    let requirement = "HOOK-027, HOOK-030, HOOK-131, HOOK-159, HOOK-178, HOOK-208";
    assert_eq!(execution.result.llm_content, ToolContent::Text(expected.to_owned()), "{requirement}");
    assert_eq!(execution.result.return_display, "files", "HOOK-159: the user does not see it");
    assert_eq!(execution.result.suppress_display, Some(true), "HOOK-029, HOOK-132, HOOK-149, HOOK-208");
    let wire = serde_json::to_value(&execution.result).unwrap();
    assert_eq!(wire["suppressDisplay"], true, "HOOK-149");

    let parts = execute_tool_with_hooks(&session, "ls", input(), permit_unless_asked, async |_| ToolResult {
        llm_content: ToolContent::Parts(vec![hookrail::genai::Part::text("files")]),
        ..ToolResult::default()
    });
    assert_eq!(parts.await.result.llm_content.to_text(), expected, "parts grow by parts");
}

#[tokio::test]
async fn the_trigger_returns_effects_and_changes_nothing_itself() {
    let output = json!({
        "reason": "r", "continue": false, "stopReason": "done", "suppressOutput": true,
        "systemMessage": "m", "hookSpecificOutput": { "additionalContext": "c" },
    });
    let (_project, session) = with_hooks("AfterTool", &[&says(&output)]);
    let given = object(json!({ "llmContent": "x", "returnDisplay": "x", "metadata": {} }));
    let result = session.fire_after_tool("ls", &input(), &given).await;
    let requirement = "HOOK-128, HOOK-151, HOOK-157, HOOK-217, DELTA-HAPP-001";
    assert_eq!(result.additional_context.as_deref(), Some("c"), "{requirement}");
    assert_eq!(result.notes.system_message.as_deref(), Some("m"), "{requirement}");
    assert!(result.notes.suppress_output, "{requirement}");
    assert_eq!(result.stop, Some(StopReason::new("done")), "HOOK-028, {requirement}");
    assert_eq!(serde_json::to_value(&result.notes.output).unwrap(), output, "{requirement}");

    let execution = execute_tool_with_hooks(&session, "ls", input(), permit_unless_asked, async |_| {
        ToolResult::text("x")
    })
    .await;
    assert_eq!(execution.stop, Some(StopReason::new("done")), "HOOK-028, HOOK-178");
    assert!(!execution.blocked);
}

#[tokio::test]
async fn a_failed_hook_leaves_the_result_alone() {
    for command in ["echo secret trouble >&2; exit 1", "echo trouble >&2; kill -TERM $$", "exit 7"] {
        for event in ["BeforeTool", "AfterTool"] {
            let (_project, session) = with_hooks(event, &[command]);
            let (execution, ran) = execute(&session).await;
            assert!(ran);
            let own = ToolResult::text(Value::Object(input()).to_string());
            assert_eq!(execution.result, own, "HOOK-031: {event}: {command}");
            assert!(execution.stop.is_none());
        }
    }
}

#[tokio::test]
async fn after_tool_cannot_block() {
    let (_project, session) = with_hooks("AfterTool", &["echo too late >&2; exit 2"]);
    let (execution, _) = execute(&session).await;
    assert!(!execution.blocked && execution.stop.is_none(), "HOOK-178");
    assert_eq!(execution.result, ToolResult::text(Value::Object(input()).to_string()), "HOOK-178");
    let handler = session.hook_system().unwrap().event_handler().unwrap();
    let result = handler
        .fire(&Event::AfterTool { tool_name: "x", tool_input: &input(), tool_response: &input() })
        .await;
    assert!(result.aggregated.final_output.unwrap().is_blocking_decision(), "recorded");
    assert!(result.block.is_none());
    assert!(result.warnings[0].contains("AfterTool cannot be blocked"), "{:?}", result.warnings);
}

#[tokio::test]
async fn blank_texts_add_nothing() {
    let blank = json!({ "systemMessage": " ", "hookSpecificOutput": { "additionalContext": "" } });
    let (_project, session) = with_hooks("AfterTool", &[&says(&blank)]);
    let (execution, _) = execute(&session).await;
    assert_eq!(execution.result, ToolResult::text(Value::Object(input()).to_string()));
}

fn asks(reason: &str) -> Value {
    json!({ "decision": "ask", "reason": reason, "hookSpecificOutput": { "tool_input": { "path": "b.txt" } } })
}

#[tokio::test]
async fn an_ask_goes_to_the_permission_step_with_its_reason() {
    let permission_word = json!({ "hookSpecificOutput": {
        "permissionDecision": "ask", "permissionDecisionReason": "production", "tool_input": { "path": "b.txt" } } });
    for output in [asks("production"), permission_word] {
        let (_project, session) =
            with_hooks("BeforeTool", &[&says(&output), &says(&json!({ "decision": "allow" }))]);
        for (answer, status) in [
            (Permission::Granted, "ran"),
            (Permission::Denied { reason: "the person said no".to_owned() }, "denied"),
            (Permission::Stopped { reason: StopReason::new("enough") }, "stopped"),
        ] {
            let permission = async |request: PermissionRequest<'_>| {
                assert_eq!(request.decider, Decider::Person { reason: "production" }, "O7, HOOK-182");
                let PermissionSubject::Tool { name, input } = request.subject else { panic!("a tool call") };
                assert_eq!((name, &input["path"]), ("write_file", &json!("b.txt")), "as hooks left it");
                answer.clone()
            };
            let outcome = session
                .execute_tool("write_file", input(), permission, async |_| ToolResult::text("done"))
                .await;
            let ToolOutcome { end, tool_input, result, stop, .. } = outcome;
            match (end, status) {
                (ToolEnd::Ran { .. }, "ran") => assert_eq!(tool_input["path"], "b.txt"),
                (ToolEnd::Denied, "denied") => {
                    assert_eq!(result.llm_content.to_text(), "the person said no");
                    assert_eq!(result.error.unwrap().kind.as_deref(), Some("permission_denied"));
                }
                (ToolEnd::Stopped, "stopped") => {
                    assert_eq!(stop.unwrap().as_str(), "enough");
                    assert_eq!(
                        result.llm_content.to_text(),
                        "Agent execution stopped: enough",
                        "by the host"
                    );
                    assert_eq!(result.error.unwrap().kind.as_deref(), Some("stopped"));
                }
                (other, expected) => panic!("{expected}: {other:?}"),
            }
        }
        let execution =
            execute_tool_with_hooks(&session, "write_file", input(), permit_unless_asked, async |_| {
                panic!("nobody agreed")
            })
            .await;
        assert!(!execution.blocked, "O7: an ask is no block");
        let text = execution.result.llm_content.to_text();
        assert!(text.contains("a person's decision") && text.contains("production"), "{text}");
    }
}

#[tokio::test]
async fn a_block_wins_over_an_ask_and_a_stop_is_kept() {
    let (ask, block) = (says(&asks("why")), says(&json!({ "decision": "block", "reason": "no" })));
    for hooks in [[&ask, &block], [&block, &ask]] {
        let (_project, session) = with_hooks("BeforeTool", &[hooks[0], hooks[1]]);
        let given = input();
        let result = session.fire_before_tool("x", &given).await;
        assert_eq!(tool_block(&result).map(|block| block.cause), Some(BlockCause::Policy), "O7");
    }
    let stop = says(&json!({ "continue": false, "stopReason": "enough" }));
    let (_project, session) = with_hooks("BeforeTool", &[&ask, &stop]);
    let given = input();
    let result = session.fire_before_tool("x", &given).await;
    assert_eq!(result.gate, ToolGate::Stop { reason: StopReason::new("enough") }, "L10");
}

#[tokio::test]
async fn ask_may_be_read_as_allow_and_a_project_decides_for_its_own_hooks_only() {
    for (why, user, project_file, asked) in [
        ("the default", json!({}), json!({}), true),
        ("the user's choice", json!({ "ask": "allow" }), json!({}), false),
        ("not for the user's hook", json!({}), json!({ "ask": "allow" }), true),
        ("nor against it", json!({ "ask": "allow" }), json!({ "ask": "person" }), false),
    ] {
        let project = TestProject::new();
        let mut settings = on("BeforeTool", &[command(&says(&json!({ "decision": "ask", "reason": "r" })))]);
        settings["hooksConfig"] = user;
        project.user_settings(&settings);
        project.settings(&json!({ "enableHooks": true, "hooksConfig": project_file }));
        let session = session(&project);
        let given = input();
        let result = session.fire_before_tool("x", &given).await;
        let is_ask = matches!(result.gate, ToolGate::Ask { .. });
        assert_eq!(is_ask, asked, "O7, C3: {why}");
        let word = serde_json::to_value(&result.notes.output).unwrap()["decision"].clone();
        assert_eq!(word, if asked { "ask" } else { "allow" }, "O7: {why}");
    }
}

#[tokio::test]
async fn after_tool_replaces_what_the_model_and_the_person_get() {
    let replaces = |response: Value| says(&json!({ "hookSpecificOutput": { "tool_response": response } }));
    let secret = || ToolResult {
        metadata: Some(object(json!({ "n": 1 }))),
        return_display: json!("the secret, shown"),
        ..ToolResult::text("the secret")
    };
    for (given, content, display) in [
        (json!("[redacted]"), "[redacted]", json!("[redacted]")),
        (json!({ "llmContent": "m", "returnDisplay": "p" }), "m", json!("p")),
        (json!({ "llmContent": "m" }), "m", json!("m")),
        (json!({ "returnDisplay": "p" }), "p", json!("p")),
        (json!({ "llmContent": [{ "text": "part" }] }), "part", json!("part")),
        (json!({ "ok": true }), r#"{"ok":true}"#, json!(r#"{"ok":true}"#)),
        (json!(7), "7", json!("7")),
    ] {
        let context = says(&json!({ "hookSpecificOutput": { "additionalContext": "and more" } }));
        let hooks = [&replaces(json!("earlier")), &replaces(given.clone()), &context];
        let (_project, session) = with_hooks("AfterTool", &hooks.map(String::as_str));
        let outcome = session.execute_tool("ls", input(), permit_unless_asked, async |_| secret()).await;
        let ToolOutcome { end: ToolEnd::Ran { original }, result, .. } = outcome else {
            panic!("{outcome:?}")
        };
        assert_eq!(result.llm_content.to_text(), format!("{content}\n\nand more"), "O22, HOOK-178: {given}");
        assert_eq!(result.return_display, display, "O22, HOOK-217: {given}");
        assert_eq!(result.metadata, secret().metadata, "O22");
        assert_eq!(original, Some(secret()), "O22: both are kept");
    }
    let (_project, session) = with_hooks("AfterTool", &[&replaces(Value::Null)]);
    let outcome = session.execute_tool("ls", input(), permit_unless_asked, async |_| secret()).await;
    assert!(matches!(outcome.end, ToolEnd::Ran { original: None }), "null replaces nothing");
}
