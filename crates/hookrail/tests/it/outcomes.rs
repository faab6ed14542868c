//! Whatever becomes of a tool call or a model call, nothing that its hooks gave is lost.
#![expect(clippy::indexing_slicing, reason = "helpers of tests fail them by panicking")]

use hookrail::model::{ModelEnd, ModelOutcome, OutgoingCall, StopPoint};
use hookrail::{HookSession, JsonObject, Permission, PermissionRequest, StopReason, ToolEnd, ToolResult};
use hookrail_testkit::TestProject;
use serde_json::{Value, json};

use crate::kit::{command, rich_request, rich_response, says, session};

/// A session whose user has one hook for each of these events.
fn session_with(hooks: &[(&str, Value)]) -> (TestProject, HookSession) {
    let group = |output: &Value| json!([{ "hooks": [command(&says(output))] }]);
    let hooks: JsonObject =
        hooks.iter().map(|(event, output)| ((*event).to_owned(), group(output))).collect();
    let project = TestProject::new();
    project.user_settings(&json!({ "enableHooks": true, "hooks": hooks }));
    let session = session(&project);
    (project, session)
}

/// An output with a field of the wrong type, which is worth a warning.
fn odd(mut output: Value) -> Value {
    output["suppressOutput"] = json!("a typo");
    output
}

fn expect_warnings(warnings: &[String], count: usize, case: &str) {
    assert_eq!(warnings.len(), count, "{case}: {warnings:?}");
    assert!(warnings.iter().all(|warning| warning.contains("suppressOutput")), "{case}: {warnings:?}");
}

#[tokio::test]
async fn every_outcome_of_a_tool_call_has_the_warnings() {
    let denied = || Permission::Denied { reason: "no".to_owned() };
    let stopped = || Permission::Stopped { reason: StopReason::new("enough") };
    for (case, before, permission, count) in [
        ("Ran", json!({}), Permission::Granted, 2),
        ("Blocked", json!({ "decision": "block" }), Permission::Granted, 1),
        ("Denied", json!({}), denied(), 1),
        ("Stopped", json!({}), stopped(), 1),
        ("Stopped", json!({ "continue": false }), Permission::Granted, 1),
    ] {
        let (_project, session) = session_with(&[("BeforeTool", odd(before)), ("AfterTool", odd(json!({})))]);
        let answer = async |_: PermissionRequest<'_>| permission.clone();
        let tool = async |_: &JsonObject| ToolResult::text("done");
        let outcome = session.execute_tool("x", JsonObject::new(), answer, tool).await;
        expect_warnings(&outcome.warnings, count, case);
        let name = match outcome.end {
            ToolEnd::Ran { .. } => "Ran",
            ToolEnd::Blocked { .. } => "Blocked",
            ToolEnd::Denied => "Denied",
            ToolEnd::Stopped => "Stopped",
        };
        assert_eq!(name, case);
    }
}

/// The name of an outcome, the reason of its block, and the message for the next request.
fn brief(outcome: &ModelOutcome) -> (&'static str, Option<&str>, Option<&str>) {
    let (name, block) = match &outcome.end {
        ModelEnd::Answered(_) => ("Answered", None),
        ModelEnd::Blocked { block, .. } => ("Blocked", Some(block)),
        ModelEnd::Denied { .. } => ("Denied", None),
        ModelEnd::Stopped { at: StopPoint::BeforeCall { block }, .. } => ("Stopped before", block.as_ref()),
        ModelEnd::Stopped { at: StopPoint::AfterCall(_), .. } => ("Stopped after", None),
    };
    (name, block.map(|block| block.reason.as_str()), outcome.next_system_message.as_deref())
}

#[tokio::test]
async fn every_outcome_of_a_model_call_has_warnings_block_and_message() {
    let message = |text: &str| odd(json!({ "systemMessage": text }));
    let with = |mut output: Value, fields: Value| {
        let fields = fields.as_object().cloned().unwrap_or_default();
        output.as_object_mut().into_iter().for_each(|output| output.extend(fields.clone()));
        output
    };
    let stop = json!({ "continue": false, "stopReason": "enough" });
    let block = json!({ "decision": "block", "reason": "no" });
    let both = with(stop.clone(), block.clone());
    let denied = || Permission::Denied { reason: "no".to_owned() };
    let stopped = || Permission::Stopped { reason: StopReason::new("enough") };
    let granted = || Permission::Granted;
    let nothing = json!({});
    for (before, selection, after, permission, expected, count) in [
        (&nothing, &nothing, &nothing, granted(), ("Answered", None, Some("c")), 3),
        (&nothing, &nothing, &stop, granted(), ("Stopped after", None, Some("c")), 3),
        (&block, &nothing, &nothing, granted(), ("Blocked", Some("no"), Some("a")), 1),
        (&stop, &nothing, &nothing, granted(), ("Stopped before", None, Some("a")), 1),
        (&both, &nothing, &nothing, granted(), ("Stopped before", Some("no"), Some("a")), 1),
        (&nothing, &stop, &nothing, granted(), ("Stopped before", None, Some("a\nb")), 2),
        (&nothing, &nothing, &nothing, denied(), ("Denied", None, Some("a\nb")), 2),
        (&nothing, &nothing, &nothing, stopped(), ("Stopped before", None, Some("a\nb")), 2),
    ] {
        let (_project, session) = session_with(&[
            ("BeforeModel", with(message("a"), before.clone())),
            ("BeforeToolSelection", with(message("b"), selection.clone())),
            ("AfterModel", with(message("c"), after.clone())),
        ]);
        let answer = async |_: PermissionRequest<'_>| permission.clone();
        let model = async |_: OutgoingCall<'_>| Ok::<_, std::convert::Infallible>(rich_response());
        let Ok(outcome) = session.call_model(rich_request(), answer, model).await;
        assert_eq!(brief(&outcome), expected);
        expect_warnings(&outcome.warnings, count, expected.0);
    }
}
