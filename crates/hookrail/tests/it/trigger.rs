//! Hooks around model calls: what the triggers return to an agent that deals in the SDK's types.
#![deny(unfulfilled_lint_expectations)]
#![expect(clippy::panic, clippy::unwrap_used, reason = "helpers of tests fail them by panicking")]

use std::borrow::Cow;

use hookrail::effects::{
    AfterModelHookResult, BeforeModelHookResult, BeforeToolHookResult, BeforeToolSelectionHookResult,
    ModelGate, Notes, ToolGate, ToolSelection,
};
use hookrail::genai::{
    FunctionCallingConfig, FunctionCallingMode, GenerateContentParameters, GenerateContentResponse,
};
use hookrail::model::{AnswerOrigin, OutgoingCall, RequestFormat as _, ResponseChange};
use hookrail::{
    Block, BlockCause, HookSession, JsonObject, StopReason, ToolResult, TrustPolicy, permit_unless_asked,
};
use hookrail_testkit::TestProject;
use serde_json::{Value, json};

use crate::kit::{
    chained, command, model_block, object, on, request, response, rich_request, rich_response, says, session,
    with_hooks,
};

fn specific(fields: &Value) -> Value {
    json!({ "hookSpecificOutput": fields })
}

async fn before_model(output: &Value) -> (ModelGate<'static>, Notes) {
    let (_project, session) = with_hooks("BeforeModel", &[&says(output)]);
    owned(session.fire_before_model(&rich_request()).await)
}

/// What a `BeforeModel` result says, free of the request that it may borrow.
fn owned(result: BeforeModelHookResult<'_>) -> (ModelGate<'static>, Notes) {
    let gate = match result.gate {
        ModelGate::Send { request } => ModelGate::Send { request: Cow::Owned(request.into_owned()) },
        ModelGate::Answer { response, origin, block } => ModelGate::Answer { response, origin, block },
        ModelGate::Stop { reason, block } => ModelGate::Stop { reason, block },
    };
    (gate, result.notes)
}

/// The request that is sent.
fn sent(gate: ModelGate<'_>) -> GenerateContentParameters {
    match gate {
        ModelGate::Send { request } => request.into_owned(),
        other => panic!("{other:?}"),
    }
}

async fn after_model(output: &Value) -> AfterModelHookResult {
    let (_project, session) = with_hooks("AfterModel", &[&says(output)]);
    session.fire_after_model(&rich_request(), rich_response()).await
}

async fn selection(output: &Value) -> BeforeToolSelectionHookResult {
    let (_project, session) = with_hooks("BeforeToolSelection", &[&says(output)]);
    session.fire_before_tool_selection(&rich_request()).await
}

#[tokio::test]
async fn before_model_blocks_with_or_without_an_answer() {
    let answer = json!({ "candidates": [{ "content": { "role": "model", "parts": ["From the cache."] }, "finishReason": "STOP" }] });
    let mut output = specific(&json!({ "llm_response": answer }));
    output["decision"] = "deny".into();
    output["reason"] = "known".into();
    let policy = |reason: &str| Block::new(reason, BlockCause::Policy);
    let (gate, _) = before_model(&output).await;
    let ModelGate::Answer { response, origin: AnswerOrigin::Hook, block } = gate else {
        panic!("HOOK-036, HOOK-135, HOOK-152, HOOK-179: {gate:?}")
    };
    assert_eq!(block, policy("known"), "HOOK-135");
    assert_eq!(response.text(), "From the cache.", "HOOK-036, HOOK-138, HOOK-194");

    let empty = || GenerateContentResponse::from_text("");
    let (gate, _) = before_model(&json!({ "decision": "block", "reason": "no" })).await;
    let expected = ModelGate::Answer { response: empty(), origin: AnswerOrigin::Empty, block: policy("no") };
    assert_eq!(gate, expected, "HOOK-037, HOOK-179, HOOK-194, HOOK-202");

    let (_project, session) = with_hooks("BeforeModel", &["echo not today >&2; exit 2"]);
    let asked = rich_request();
    let result = session.fire_before_model(&asked).await;
    assert_eq!(model_block(&result), Some(&policy("not today")), "HOOK-037, HOOK-066");
}

#[tokio::test]
async fn a_blocked_call_without_an_answer_reads_as_one_empty_candidate() {
    let (gate, _) = before_model(&json!({ "decision": "block" })).await;
    let ModelGate::Answer { response: empty, .. } = gate else { panic!("a block without a stop: {gate:?}") };
    let expected = response(json!({
        "candidates": [{ "content": { "role": "model", "parts": [] }, "finishReason": "STOP", "index": 0 }],
    }));
    assert_eq!(empty, expected, "HOOK-202 (L6)");
}

#[tokio::test]
async fn before_model_stops_the_agent() {
    let (gate, _) = before_model(&json!({ "continue": false, "stopReason": "enough" })).await;
    let reason = StopReason::new("enough");
    let requirement =
        "HOOK-040, HOOK-184, HOOK-194, DELTA-HAPP-002: the model is not called, no answer is made up";
    assert_eq!(gate, ModelGate::Stop { reason, block: None }, "{requirement}");

    let both = json!({ "continue": false, "decision": "block", "reason": "no" });
    let (gate, _) = before_model(&both).await;
    let ModelGate::Stop { block: Some(block), .. } = gate else { panic!("O8: {gate:?}") };
    assert_eq!(block.reason, "no", "O8: both hold");
}

#[tokio::test]
async fn before_model_changes_the_request_and_keeps_what_it_never_saw() {
    let original = rich_request();
    // Only a temperature: all contents stay.
    let (gate, _) =
        before_model(&specific(&json!({ "llm_request": { "config": { "temperature": 0.1 } } }))).await;
    let mut expected = original.clone();
    expected.config.as_mut().unwrap().temperature = serde_json::Number::from_f64(0.1);
    assert_eq!(sent(gate), expected, "HOOK-038, HOOK-078, HOOK-139, HOOK-141, HOOK-179");

    // A message more: the others keep their pictures and tool calls.
    let messages = json!([
        { "role": "user", "content": "What is in this picture?" },
        { "role": "user", "content": "So?" },
        { "role": "user", "content": "Answer in French." },
    ]);
    let (gate, _) = before_model(&specific(&json!({ "llm_request": { "messages": messages } }))).await;
    let mut expected = original.clone();
    expected.contents.push(hookrail::genai::Content::text("user", "Answer in French."));
    assert_eq!(sent(gate), expected, "HOOK-039, HOOK-078, HOOK-179");

    // A redaction.
    let messages = json!([
        { "role": "user", "content": "[redacted]" },
        { "role": "user", "content": "So?" },
    ]);
    let (gate, _) = before_model(&specific(&json!({ "llm_request": { "messages": messages } }))).await;
    let sent = sent(gate);
    assert!(!serde_json::to_string(&sent).unwrap().contains("in this picture"), "HOOK-038: {sent:?}");
    assert_eq!(sent.contents[1..], original.contents[1..], "HOOK-078: tool call and answer stay");
}

#[tokio::test]
async fn a_hook_that_gives_the_request_back_changes_nothing() {
    let (_project, session) = with_hooks(
        "BeforeModel",
        &["sed 's/.*\"llm_request\":\\(.*\\)}$/{\"hookSpecificOutput\":{\"llm_request\":\\1}}/'"],
    );
    let asked = rich_request();
    let result = session.fire_before_model(&asked).await;
    assert_eq!(sent(result.gate), asked, "HOOK-078");
}

#[tokio::test]
async fn a_chain_before_the_model_adds_up() {
    let project = TestProject::new();
    let redact =
        specific(&json!({ "llm_request": { "messages": [{ "role": "user", "content": "[redacted]" }] } }));
    let cool = specific(&json!({ "llm_request": { "config": { "temperature": 0 } } }));
    let check = "grep -q redacted || exit 2";
    project.user_settings(&chained(
        "BeforeModel",
        &[command(&says(&redact)), command(check), command(&says(&cool))],
    ));
    let asked = request(json!({ "model": "m", "contents": "My password is 1234." }));
    let session = session(&project);
    let result = session.fire_before_model(&asked).await;
    assert_eq!(model_block(&result), None, "HOOK-105: the second hook sees what the first one changed");
    let sent = serde_json::to_value(sent(result.gate)).unwrap();
    assert_eq!(
        sent["contents"][0]["parts"][0]["text"], "[redacted]",
        "a later temperature keeps the redaction"
    );
    assert_eq!(sent["config"]["temperature"], 0);
}

#[tokio::test]
async fn what_cannot_be_read_is_not_applied_and_the_rest_is() {
    let output = specific(&json!({ "llm_request": { "messages": 5, "config": { "temperature": 0.2 } } }));
    let (gate, _) = before_model(&output).await;
    let sent = sent(gate);
    assert_eq!(sent.contents, rich_request().contents, "HOOK-111");
    assert_eq!(sent.config.unwrap().temperature, serde_json::Number::from_f64(0.2));
    let result = after_model(&specific(&json!({ "llm_response": { "candidates": "none" } }))).await;
    assert_eq!(result.response, rich_response(), "HOOK-111");
    let result = selection(&specific(&json!({ "toolConfig": { "mode": 7 } }))).await;
    assert_eq!(result.gate, ToolSelection::Unchanged, "HOOK-111");
}

#[tokio::test]
async fn after_model_replaces_the_response() {
    let answer = json!({ "candidates": [{ "content": { "role": "model", "parts": ["A dog."] }, "finishReason": "STOP" }] });
    let result = after_model(&specific(&json!({ "llm_response": answer }))).await;
    assert_eq!(result.response.text(), "A dog.", "HOOK-046, HOOK-047, HOOK-136, HOOK-153, HOOK-180");
    let replaced = ResponseChange::Replaced { dropped_tool_calls: 1 };
    assert_eq!(result.change, replaced, "HOOK-046, HOOK-079: and the caller can say so");
    assert_eq!(result.response.function_calls().count(), 0, "HOOK-079");
    assert!(result.stop.is_none());
}

#[tokio::test]
async fn after_model_leaves_an_equal_response_as_it_is() {
    let (_project, session) = with_hooks(
        "AfterModel",
        &["sed 's/.*\"llm_response\":\\(.*\\)}$/{\"hookSpecificOutput\":{\"llm_response\":\\1}}/'"],
    );
    let result = session.fire_after_model(&rich_request(), rich_response()).await;
    assert_eq!(result.response, rich_response(), "HOOK-046: tool calls included");
    assert_eq!(result.change, ResponseChange::Unchanged);
}

#[tokio::test]
async fn after_model_stops_suppresses_and_adds_a_message() {
    let result = after_model(&json!({ "continue": false, "stopReason": "enough" })).await;
    assert_eq!(result.response.text(), "enough", "HOOK-048, HOOK-180");
    assert_eq!(result.stop, Some(StopReason::new("enough")), "HOOK-048");

    let result = after_model(&json!({ "suppressOutput": true, "systemMessage": "m" })).await;
    assert!(result.notes.suppress_output, "HOOK-049, HOOK-180, HOOK-217");
    assert_eq!(result.notes.system_message.as_deref(), Some("m"), "HOOK-217");
    assert_eq!(result.response, rich_response(), "HOOK-049: it is still processed");

    let result = after_model(&json!({ "decision": "block", "reason": "too late" })).await;
    assert_eq!(result.response, rich_response(), "HOOK-180: AfterModel cannot block");
    assert!(result.stop.is_none(), "HOOK-180");
}

/// The restriction that is sent.
fn restriction(selection: ToolSelection) -> FunctionCallingConfig {
    match selection {
        ToolSelection::Restricted { tool_config } => tool_config.function_calling_config.unwrap(),
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn before_tool_selection_restricts_tools() {
    let any_look = json!({ "toolConfig": { "mode": "ANY", "allowedFunctionNames": ["look"] }, "tools": [] });
    let any_look = specific(&any_look);
    let selected = selection(&any_look).await.gate;
    let mut sent = rich_request();
    if let ToolSelection::Restricted { tool_config } = &selected {
        sent.set_tools(tool_config.clone());
    }
    let tools = |request: &GenerateContentParameters| request.config.clone().unwrap().tools;
    assert!(tools(&sent).is_some() && tools(&sent) == tools(&rich_request()), "HOOK-167, HOOK-168");
    let given = restriction(selected);
    assert_eq!(
        given.mode,
        Some(FunctionCallingMode::Any),
        "HOOK-056, HOOK-137, HOOK-140, HOOK-154, HOOK-181"
    );
    assert_eq!(given.allowed_function_names, Some(vec!["look".to_owned()]), "HOOK-055, HOOK-168, HOOK-181");

    let auto = specific(&json!({ "toolConfig": { "mode": "AUTO", "allowedFunctionNames": ["look"] } }));
    let given = restriction(selection(&auto).await.gate);
    assert_eq!(given.mode, Some(FunctionCallingMode::Auto), "HOOK-056");

    let none = specific(&json!({ "toolConfig": { "mode": "NONE" } }));
    let (_project, session) = with_hooks("BeforeToolSelection", &[&says(&any_look), &says(&none)]);
    let result = session.fire_before_tool_selection(&rich_request()).await;
    let given = restriction(result.gate);
    assert_eq!(given.mode, Some(FunctionCallingMode::None), "HOOK-056, HOOK-057, HOOK-101");
    assert_eq!(given.allowed_function_names.unwrap_or_default(), Vec::<String>::new(), "HOOK-057, HOOK-101");

    let any_of_none = specific(&json!({ "toolConfig": { "mode": "ANY", "allowedFunctionNames": [] } }));
    let given = restriction(selection(&any_of_none).await.gate);
    assert_eq!(given.mode, Some(FunctionCallingMode::None), "L16");
    assert_eq!(given.allowed_function_names, Some(Vec::new()), "L16");
}

#[tokio::test]
async fn before_tool_selection_stops_but_does_not_block() {
    let result = selection(&json!({ "continue": false, "stopReason": "enough", "systemMessage": "m" })).await;
    let stop = ToolSelection::Stop { reason: StopReason::new("enough") };
    assert_eq!(result.gate, stop, "HOOK-058, HOOK-181");
    assert_eq!(result.notes.system_message.as_deref(), Some("m"));
    let result = selection(&json!({ "decision": "block", "reason": "no" })).await;
    assert_eq!(result.gate, ToolSelection::Unchanged, "HOOK-181: it cannot block");
    assert!(result.notes.warnings[0].contains("cannot be blocked"), "O18: {:?}", result.notes.warnings);
}

#[tokio::test]
async fn failed_hooks_change_nothing() {
    let failing = "echo trouble >&2; exit 1";
    let (_project, session) = with_hooks("BeforeModel", &[failing]);
    let asked = rich_request();
    let result = session.fire_before_model(&asked).await;
    assert_eq!(result.gate, ModelGate::Send { request: Cow::Borrowed(&asked) }, "HOOK-042, HOOK-110");
    assert_eq!(result.notes.system_message, None, "HOOK-042: its complaint is not for the model");
    let (_project, session) = with_hooks("AfterModel", &[failing]);
    let result = session.fire_after_model(&rich_request(), rich_response()).await;
    assert_eq!(result.response, rich_response(), "HOOK-052");
    assert_eq!(result.change, ResponseChange::Unchanged, "HOOK-052");
    assert!(result.notes.system_message.is_none(), "HOOK-052");
    let (_project, session) = with_hooks("BeforeToolSelection", &[failing]);
    let result = session.fire_before_tool_selection(&rich_request()).await;
    assert_eq!(result.gate, ToolSelection::Unchanged, "HOOK-060");
    assert!(result.notes.system_message.is_none(), "HOOK-060");
}

#[tokio::test]
async fn model_events_fire_once_per_call_whatever_their_matcher() {
    let project = TestProject::new();
    let hooks: serde_json::Map<String, Value> = ["BeforeModel", "AfterModel", "BeforeToolSelection"]
        .iter()
        .map(|event| {
            let group =
                json!({ "matcher": "no such tool", "hooks": [command(&format!("echo x >> {event}"))] });
            ((*event).to_owned(), json!([group]))
        })
        .collect();
    project.user_settings(&json!({ "enableHooks": true, "hooks": hooks }));
    let session = session(&project);
    for _ in 0..2 {
        let _ = session.fire_before_model(&rich_request()).await;
        let _ = session.fire_before_tool_selection(&rich_request()).await;
        let _ = session.fire_after_model(&rich_request(), rich_response()).await;
    }
    for (requirement, event) in [
        ("HOOK-033, HOOK-041", "BeforeModel"),
        ("HOOK-043, HOOK-051, HOOK-172", "AfterModel"),
        ("HOOK-053, HOOK-059", "BeforeToolSelection"),
    ] {
        assert_eq!(project.read(event), "x\nx\n", "{requirement}");
    }
}

#[tokio::test]
async fn plain_text_is_a_message_for_the_model_and_never_undoes_a_block() {
    let block = says(&json!({ "decision": "block", "reason": "no" }));
    let project = TestProject::new();
    project.user_settings(&on("BeforeModel", &[command(&block), command("echo all is well")]));
    let (session, asked) = (session(&project), rich_request());
    let result = session.fire_before_model(&asked).await;
    assert!(model_block(&result).is_some(), "HOOK-064, HOOK-114");
    assert_eq!(result.notes.system_message.as_deref(), Some("all is well"), "HOOK-064, HOOK-114, HOOK-159");
}

/// HOOK-134: each of these lines is refused by the compiler unless it is expected to be. If a verdict could be
/// dropped without a word, the expectation would be unfulfilled, and this file would not compile.
mod verdicts_cannot_be_dropped {
    use super::*;

    type Request<'a> = &'a GenerateContentParameters;

    #[expect(unused_must_use, reason = "HOOK-134")]
    async fn before_tool(session: &HookSession) {
        session.fire_before_tool("x", &object(json!({}))).await;
    }

    #[expect(unused_must_use, reason = "HOOK-134")]
    async fn after_tool(session: &HookSession) {
        session.fire_after_tool("x", &object(json!({})), &object(json!({}))).await;
    }

    #[expect(unused_must_use, reason = "HOOK-134")]
    async fn before_model(session: &HookSession, request: Request<'_>) {
        session.fire_before_model(request).await;
    }

    #[expect(unused_must_use, reason = "HOOK-134")]
    async fn after_model(session: &HookSession, request: Request<'_>, response: GenerateContentResponse) {
        session.fire_after_model(request, response).await;
    }

    #[expect(unused_must_use, reason = "HOOK-134")]
    async fn tool_selection(session: &HookSession, request: Request<'_>) {
        session.fire_before_tool_selection(request).await;
    }

    #[expect(unused_must_use, reason = "HOOK-134")]
    async fn execute(session: &HookSession) {
        let tool = async |_: &JsonObject| ToolResult::text("");
        session.execute_tool("x", object(json!({})), permit_unless_asked, tool).await;
    }

    #[expect(unused_must_use, reason = "HOOK-134")]
    async fn call_model(session: &HookSession) {
        let model = async |_: OutgoingCall<'_>| Ok::<_, ()>(rich_response());
        session.call_model(rich_request(), permit_unless_asked, model).await.unwrap();
    }

    #[expect(unused_must_use, reason = "HOOK-134")]
    async fn before_agent(session: &HookSession) {
        session.fire_before_agent("Do it.").await;
    }

    #[tokio::test]
    async fn they_can_be_called_all_the_same() {
        let session = HookSession::builder("/", TrustPolicy::AllowAll).settings(json!({})).build();
        before_tool(&session).await;
        after_tool(&session).await;
        before_model(&session, &rich_request()).await;
        after_model(&session, &rich_request(), rich_response()).await;
        tool_selection(&session, &rich_request()).await;
        execute(&session).await;
        call_model(&session).await;
        before_agent(&session).await;
    }
}

/// HOOK-176: the result types are the crate's own; with hooks off, they are the safe defaults.
#[tokio::test]
async fn results_are_public_types_with_safe_defaults() {
    let session = HookSession::builder("/", TrustPolicy::AllowAll).settings(json!({})).build();
    let (asked, input) = (rich_request(), object(json!({ "a": 1 })));
    let BeforeToolHookResult { gate, .. } = session.fire_before_tool("x", &input).await;
    assert_eq!(gate, ToolGate::Run { tool_input: Cow::Borrowed(&input) }, "HOOK-134");
    let BeforeModelHookResult { gate, .. } = session.fire_before_model(&asked).await;
    assert_eq!(gate, ModelGate::Send { request: Cow::Borrowed(&asked) }, "HOOK-135");
    let AfterModelHookResult { response, .. } =
        session.fire_after_model(&rich_request(), rich_response()).await;
    assert_eq!(response, rich_response(), "HOOK-136");
    let BeforeToolSelectionHookResult { gate: selection, .. } =
        session.fire_before_tool_selection(&rich_request()).await;
    assert_eq!(selection, ToolSelection::Unchanged, "HOOK-137");
}
