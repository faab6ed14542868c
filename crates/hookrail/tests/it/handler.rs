//! One event from plan to result, with real processes: parallel and chained, merged in plan order.

use std::time::Duration;

use hookrail::components::{Event, ProcessedHookResult, make_empty_success_result};
use hookrail::{EventName, HookOutput, HookSession, StopReason};
use hookrail_testkit::TestProject;
use proptest::prelude::any;
use proptest::test_runner::{Config as ProptestConfig, TestRunner};
use serde_json::{Value, json};

use crate::kit::{Recorder, builder, chained, command, handler, object, on, says, session, with_hooks};

async fn before_tool(session: &HookSession) -> ProcessedHookResult {
    handler(session)
        .fire(&Event::BeforeTool { tool_name: "write_file", tool_input: &object(json!({ "path": "a" })) })
        .await
}

#[tokio::test]
async fn an_event_without_hooks_gives_a_fresh_empty_success() {
    let (_project, session) = with_hooks("SessionEnd", &["true"]);
    let mut first = before_tool(&session).await;
    assert_eq!(first.aggregated, make_empty_success_result(), "HOOK-145, DELTA-HFAIL-003");
    assert!(first.aggregated.success && first.aggregated.total_duration == Duration::ZERO, "HOOK-145");
    first.aggregated.success = false;
    first.aggregated.all_outputs.push(HookOutput::deny("scribbled"));
    assert_eq!(before_tool(&session).await.aggregated, make_empty_success_result(), "DELTA-HFAIL-004");
}

#[tokio::test]
async fn three_hooks_of_which_one_fails() {
    let one = says(&json!({ "systemMessage": "one" }));
    let two = says(&json!({ "systemMessage": "two" }));
    let (_project, session) = with_hooks("BeforeTool", &[&one, "echo broken >&2; exit 1", &two]);
    let result = before_tool(&session).await;
    assert_eq!(result.system_message.as_deref(), Some("one\ntwo"), "HOOK-112");
    assert_eq!(result.aggregated.all_outputs.len(), 3, "HOOK-112, HOOK-166: the warning is kept as well");
    assert_eq!(result.aggregated.errors.len(), 1, "HOOK-112");
    assert!(!result.aggregated.success, "HOOK-160, HOOK-213: health");
    assert!(result.block.is_none(), "HOOK-160, HOOK-213: policy");
}

#[tokio::test]
async fn health_and_policy_are_told_apart() {
    let (_project, session) = with_hooks("BeforeTool", &["echo no >&2; exit 2"]);
    let result = before_tool(&session).await;
    assert!(!result.aggregated.success, "HOOK-070, HOOK-160, HOOK-214");
    assert!(result.aggregated.final_output.unwrap().is_blocking_decision(), "HOOK-160, HOOK-213, HOOK-214");
    assert!(result.aggregated.errors.is_empty(), "nothing went wrong");
    let (_project, session) = with_hooks("BeforeTool", &[&says(&json!({ "decision": "block" }))]);
    let result = before_tool(&session).await;
    assert!(result.aggregated.success && result.block.is_some(), "HOOK-160, HOOK-213");
}

#[tokio::test]
async fn common_fields_are_read_once_for_all_callers() {
    let output = json!({
        "continue": false, "stopReason": "enough", "systemMessage": "m", "suppressOutput": true,
        "decision": "block", "reason": "no", "unknown": 1,
    });
    let (_project, session) = with_hooks("BeforeTool", &[&says(&output)]);
    let result = before_tool(&session).await;
    let stop = result.stop.map(StopReason::into_string);
    assert_eq!(stop.as_deref(), Some("enough"), "DELTA-HRUN-001, DELTA-HRUN-002, DELTA-HRUN-004");
    assert_eq!(result.system_message.as_deref(), Some("m"), "DELTA-HRUN-003, DELTA-HRUN-004");
    assert!(result.suppress_output, "DELTA-HRUN-003, DELTA-HRUN-004");
    assert_eq!(result.block.unwrap().reason, "no");
    let kept = serde_json::to_value(&result.aggregated.all_outputs).unwrap();
    assert_eq!(kept, json!([output]), "unknown fields are kept");
}

#[tokio::test]
async fn parallel_hooks_run_at_the_same_time() {
    // Each waits for the other: one after another, both would fail.
    let meet = |mine: &str, other: &str| {
        format!("touch {mine}; for i in $(seq 500); do [ -e {other} ] && exit 0; sleep 0.02; done; exit 1")
    };
    let (_project, session) = with_hooks("BeforeTool", &[&meet("a", "b"), &meet("b", "a")]);
    let result = before_tool(&session).await;
    assert!(result.aggregated.success, "HOOK-108, HOOK-165: {:?}", result.aggregated.errors);
}

#[tokio::test]
async fn one_sequential_group_makes_all_hooks_run_in_order() {
    let project = TestProject::new();
    let slow = |word: &str, pause: &str| command(&format!("sleep {pause}; echo {word} >> order"));
    project.user_settings(&json!({ "enableHooks": true, "hooks": { "BeforeTool": [
        { "hooks": [slow("first", "0.2"), slow("second", "0.1")] },
        { "sequential": true, "hooks": [slow("third", "0")] },
    ] } }));
    let result = before_tool(&session(&project)).await;
    assert!(result.aggregated.success);
    assert_eq!(project.read("order"), "first\nsecond\nthird\n", "HOOK-103, HOOK-109, HOOK-164");
}

#[tokio::test]
async fn a_block_ends_a_chain_and_a_failure_does_not() {
    let project = TestProject::new();
    let observer = Recorder::new();
    project.user_settings(&chained(
        "BeforeTool",
        &[
            command("exit 9"),
            command(&says(&json!({ "hookSpecificOutput": { "tool_input": { "path": "b" } } }))),
            command(r#"grep -q '"path":"b"' && { echo no >&2; exit 2; }"#),
            command("touch never"),
        ],
    ));
    let session = builder(&project).observer(observer.clone()).build();
    let result = before_tool(&session).await;
    assert_eq!(result.block.unwrap().reason, "no", "HOOK-104");
    assert_eq!(result.runs.len(), 3, "HOOK-107");
    assert!(!project.dir().join("never").exists(), "HOOK-107");
    assert_eq!(observer.lines().len(), 7, "three starts, three ends, one batch: {:#?}", observer.lines());
}

/// The order in which parallel hooks finish never matters: the merged result is that of the plan.
#[test]
fn the_order_of_finishing_never_matters() {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
    let pauses = proptest::collection::vec(0..5_u32, 4);
    let settings = ProptestConfig { cases: 6, failure_persistence: None, ..ProptestConfig::default() };
    TestRunner::new(settings)
        .run(&(pauses, any::<bool>()), |(pauses, blocks)| {
            let outputs = [
                json!({ "decision": "allow", "systemMessage": "0", "hookSpecificOutput": { "tool_input": { "a": 0 } } }),
                json!({ "decision": if blocks { "block" } else { "allow" }, "reason": "1" }),
                json!({ "systemMessage": "2", "hookSpecificOutput": { "tool_input": { "a": 2, "b": 2 } } }),
                json!({ "continue": false, "stopReason": "3", "reason": "3" }),
            ];
            let fire = |pauses: &[u32]| {
                let commands: Vec<Value> = outputs
                    .iter()
                    .zip(pauses)
                    .map(|(output, pause)| command(&format!("sleep 0.0{pause}; {}", says(output))))
                    .collect();
                let project = TestProject::new();
                project.user_settings(&on("BeforeTool", &commands));
                let mut result = runtime.block_on(async { before_tool(&session(&project)).await }).aggregated;
                result.total_duration = Duration::ZERO;
                result
            };
            let (unhurried, shuffled) = (fire(&[0, 0, 0, 0]), fire(&pauses));
            assert_eq!(unhurried, shuffled, "HOOK-093, HOOK-108: {pauses:?}");
            assert_eq!(shuffled.final_output.unwrap().is_blocking_decision(), blocks, "HOOK-092");
            Ok(())
        })
        .unwrap();
}

#[tokio::test]
async fn what_a_matcher_cannot_decide_in_time_counts_as_a_match() {
    let project = TestProject::new();
    project.user_settings(&json!({ "enableHooks": true, "hooks": { "BeforeTool": [
        { "matcher": r"^(?=(a+)+$)\1b", "hooks": [command("echo guarded >&2; exit 2")] },
    ] } }));
    let session = session(&project);
    let tool = format!("{}!", "a".repeat(60));
    let result =
        handler(&session).fire(&Event::BeforeTool { tool_name: &tool, tool_input: &object(json!({})) }).await;
    assert_eq!(result.block.unwrap().reason, "guarded");
    assert!(result.warnings[0].contains("takes too long"), "{:?}", result.warnings);
}

#[tokio::test]
async fn a_large_payload_reaches_every_hook_whole() {
    let (project, session) = with_hooks("BeforeTool", &["wc -c > a", "wc -c > b", "true"]);
    let input = object(json!({ "content": "x".repeat(3_000_000) }));
    let result =
        handler(&session).fire(&Event::BeforeTool { tool_name: "write_file", tool_input: &input }).await;
    assert!(result.aggregated.success, "HOOK-192: {:?}", result.aggregated.errors);
    for file in ["a", "b"] {
        let size: usize = project.read(file).trim().parse().unwrap();
        assert!(size > 3_000_000, "HOOK-061: {size}");
    }
    assert_eq!(result.event, EventName::BeforeTool);
}
