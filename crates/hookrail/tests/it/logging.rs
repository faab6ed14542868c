//! The log: one record per hook, one summary per event, a warning for every failure; the observer receives the same.

use hookrail::{EventName, HookSession};
use hookrail_testkit::TestProject;
use serde_json::json;
use tracing::Level;

use crate::kit::{Recorder, builder, command, object, on, rich_request, rich_response, session, with_hooks};
use crate::logs::{Record, listen};

const HANDLER: &str = "llxprt:core:hooks:handler";

async fn fire(session: &HookSession, event: EventName) {
    let empty = object(json!({}));
    match event {
        EventName::BeforeTool => drop(session.fire_before_tool("ls", &empty).await),
        EventName::AfterTool => drop(session.fire_after_tool("ls", &empty, &empty).await),
        EventName::BeforeModel => drop(session.fire_before_model(&rich_request()).await),
        EventName::AfterModel => drop(session.fire_after_model(&rich_request(), rich_response()).await),
        _ => drop(session.fire_before_tool_selection(&rich_request()).await),
    }
}

fn named<'a>(records: &'a [Record], message: &str) -> Vec<&'a Record> {
    records.iter().filter(|record| record.message == message).collect()
}

#[tokio::test]
async fn every_hook_and_every_event_leaves_a_record() {
    let project = TestProject::new();
    let mut fine = command("echo said; echo aside >&2");
    fine["name"] = "fine".into();
    let mut broken = command("echo half; echo trouble >&2; exit 3");
    broken["name"] = "broken".into();
    project.user_settings(&on("BeforeTool", &[fine, broken]));
    let observer = Recorder::new();
    let session = builder(&project).observer(observer.clone()).build();
    let log = listen();
    fire(&session, EventName::BeforeTool).await;
    let records = log.records();

    let finished = named(&records, "hook finished");
    assert_eq!(finished.len(), 2, "DELTA-HTEL-001: {records:#?}");
    for (record, expected) in finished.iter().zip([
        [
            ("hook", "fine"),
            ("success", "true"),
            ("exit_code", "0"),
            ("stdout", "said\n"),
            ("stderr", "aside\n"),
            ("error", ""),
        ],
        [
            ("hook", "broken"),
            ("success", "false"),
            ("exit_code", "3"),
            ("stdout", "half\n"),
            ("stderr", "trouble\n"),
            ("error", "exited with code 3: trouble"),
        ],
    ]) {
        assert_eq!((record.target.as_str(), record.level), (HANDLER, Level::DEBUG), "DELTA-HTEL-001");
        assert_eq!(
            (record.field("event"), record.field("type")),
            ("BeforeTool", "command"),
            "DELTA-HTEL-001"
        );
        assert!(record.field("duration_ms").parse::<u64>().is_ok(), "DELTA-HTEL-001: {record:?}");
        for (field, value) in expected {
            assert_eq!(record.field(field), value, "DELTA-HTEL-001: {field}");
        }
    }

    let summaries = named(&records, "event finished");
    assert_eq!(summaries.len(), 1, "DELTA-HTEL-002, HOOK-146");
    let summary = summaries[0];
    assert_eq!((summary.target.as_str(), summary.level), (HANDLER, Level::DEBUG), "HOOK-146");
    for (field, value) in [
        ("event", "BeforeTool"),
        ("hook_count", "2"),
        ("success_count", "1"),
        ("failure_count", "1"),
        ("success", "false"),
        ("blocked", "false"),
    ] {
        assert_eq!(summary.field(field), value, "DELTA-HTEL-002, HOOK-146: {field}");
    }
    assert!(summary.field("total_duration_ms").parse::<u64>().is_ok(), "DELTA-HTEL-002, HOOK-146");

    let heard = observer.lines();
    let started: Vec<_> = heard.iter().filter(|line| line.starts_with("started")).collect();
    assert_eq!(started.len(), 2, "{heard:#?}");
    assert_eq!(
        heard[2..],
        [
            "finished BeforeTool fine success=true exit=0 stdout=\"said\\n\" stderr=\"aside\\n\" failure=None saw=\"BeforeTool\"",
            "finished BeforeTool broken success=false exit=3 stdout=\"half\\n\" stderr=\"trouble\\n\" failure=Some(\"exited with code 3: trouble\") saw=\"BeforeTool\"",
            "batch BeforeTool hooks=2 ok=1 failed=1",
        ],
        "DELTA-HTEL-001, DELTA-HTEL-002: the same as data"
    );
}

#[tokio::test]
async fn every_failure_is_a_warning_with_exit_code_and_stderr() {
    for (requirement, event) in [
        ("HOOK-023, DELTA-HTEL-003", EventName::BeforeTool),
        ("HOOK-031, DELTA-HTEL-003", EventName::AfterTool),
        ("HOOK-042, DELTA-HTEL-003", EventName::BeforeModel),
        ("HOOK-052, DELTA-HTEL-003", EventName::AfterModel),
        ("HOOK-060, DELTA-HTEL-003", EventName::BeforeToolSelection),
    ] {
        let (_project, session) =
            with_hooks(event.as_str(), &["echo one >&2; exit 7", "echo two >&2; exit 8", "true"]);
        let log = listen();
        fire(&session, event).await;
        let warnings = log.warnings();
        assert_eq!(warnings.len(), 2, "HOOK-068, {requirement}: one for each failure: {warnings:#?}");
        for (warning, (code, stderr)) in warnings.iter().zip([("7", "one\n"), ("8", "two\n")]) {
            assert_eq!(warning.target, HANDLER, "{requirement}");
            assert_eq!(warning.field("event"), event.as_str(), "{requirement}");
            assert_eq!(
                (warning.field("exit_code"), warning.field("stderr")),
                (code, stderr),
                "{requirement}"
            );
            let text = format!("failed: exited with code {code}");
            assert!(warning.message.contains(&text), "{requirement}: {}", warning.message);
        }
    }
}

#[tokio::test]
async fn a_timeout_is_a_warning_that_says_how_long() {
    let project = TestProject::new();
    let mut slow = command("sleep 60");
    slow["timeout"] = 120.into();
    project.user_settings(&on("BeforeTool", &[slow]));
    let session = session(&project);
    let log = listen();
    fire(&session, EventName::BeforeTool).await;
    // The registry has a word to say about such a short timeout, too.
    let mut warnings = log.warnings();
    warnings.retain(|warning| warning.target == HANDLER);
    assert_eq!(warnings.len(), 1, "HOOK-119");
    assert!(
        warnings[0].message.ends_with("failed: timed out after 120 ms"),
        "HOOK-119: {}",
        warnings[0].message
    );
}

#[tokio::test]
async fn a_policy_block_is_no_warning_and_an_odd_answer_is() {
    let (_project, session) = with_hooks("BeforeTool", &["echo no >&2; exit 2"]);
    let log = listen();
    fire(&session, EventName::BeforeTool).await;
    assert_eq!(log.warnings(), [], "a block is no failure");

    let (_project, session) =
        with_hooks("AfterTool", &[r#"echo '{"decision":"block","suppressOutput":"yes"}'"#]);
    let log = listen();
    fire(&session, EventName::AfterTool).await;
    let messages: Vec<_> = log.warnings().into_iter().map(|warning| warning.message).collect();
    assert_eq!(messages.len(), 2, "{messages:#?}");
    assert!(messages[0].contains("suppressOutput"), "a field of the wrong type: {}", messages[0]);
    assert!(messages[1].contains("AfterTool cannot be blocked"), "a block in vain: {}", messages[1]);
}

#[tokio::test]
async fn unusable_settings_are_warnings_of_the_registry() {
    let project = TestProject::new();
    project.user_settings(&on(
        "BeforeTool",
        &[json!({ "type": "magic", "command": "x" }), json!({ "type": "command" }), command("touch ran")],
    ));
    let session = session(&project);
    let log = listen();
    fire(&session, EventName::BeforeTool).await;
    let warnings = log.warnings();
    assert_eq!(warnings.len(), 2, "HOOK-191: {warnings:#?}");
    for warning in &warnings {
        assert_eq!(warning.target, "llxprt:core:hooks:registry", "HOOK-191");
        assert!(warning.field("place").contains("settings.json:"), "HOOK-191: {warning:?}");
    }
    assert!(project.dir().join("ran").exists(), "HOOK-191: their neighbour runs");
}

#[tokio::test]
async fn fields_of_a_chained_request_that_cannot_be_read_are_told_with_their_hook() {
    let project = TestProject::new();
    let odd = json!({ "hookSpecificOutput": { "llm_request": { "messages": 5 } } });
    let mut hook = command(&crate::kit::says(&odd));
    hook["name"] = "odd".into();
    project.user_settings(&crate::kit::chained("BeforeModel", &[hook, command("true")]));
    let session = session(&project);
    let log = listen();
    fire(&session, EventName::BeforeModel).await;
    let warnings = log.warnings();
    let told = warnings.iter().find(|warning| warning.field("hook") == "odd").unwrap();
    assert!(told.message.contains("llm_request.messages"), "{}", told.message);
}

#[tokio::test]
async fn an_event_without_hooks_is_not_worth_a_line() {
    let (_project, session) = with_hooks("SessionEnd", &["true"]);
    session.hook_system().unwrap().initialize();
    let log = listen();
    fire(&session, EventName::BeforeTool).await;
    assert_eq!(log.records(), [], "HOOK-011");
}
