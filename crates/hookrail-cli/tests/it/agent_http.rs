//! The whole way to a model over HTTP, against a scripted server on loopback.

use hookrail_testkit::model_server::{Server, Step, chunk, chunked_head, events, sized};
use serde_json::{Value, json};

use crate::agent_scenario::{Scenario, answer, record};

fn event(parts: &Value) -> String {
    let chunk = json!({ "candidates": [{ "content": { "role": "model", "parts": parts }, "finishReason": "STOP" }],
        "usageMetadata": { "promptTokenCount": 5, "candidatesTokenCount": 2, "totalTokenCount": 7 } });
    format!("data: {chunk}\r\n\r\n")
}

fn reply(parts: &Value) -> Vec<Step> {
    events([event(parts).as_bytes()])
}

fn against(server: &Server) -> Scenario {
    Scenario::new()
        .args(&["--base-url", &server.url(), "--model", "gemini-test"])
        .env("GEMINI_API_KEY", "s3cret-key")
}

#[test]
fn a_whole_run_over_http() {
    let call = json!([{ "functionCall": { "name": "list_directory", "args": { "path": "." } } }]);
    let server = Server::start(vec![reply(&call), reply(&json!([{ "text": "Done." }]))]);
    let add = "sed 's/.*\"messages\":\\(\\[.*\\]\\).*/{\"hookSpecificOutput\":{\"llm_request\":{\"messages\":\\1/; \
        s/]$/,{\"role\":\"system\",\"content\":\"Be brief.\"}]}}}/'";
    let run = against(&server)
        .hook("BeforeModel", add)
        .hook("BeforeToolSelection", answer(&json!({ "hookSpecificOutput": { "toolConfig": { "mode": "ANY", "allowedFunctionNames": ["list_directory"] } } })))
        .args(&["--record", "recording.jsonl", "--output-format", "json"])
        .run("look");
    let result: Value = serde_json::from_str(&run.stdout).unwrap_or_else(|_| panic!("{}", run.shown()));
    assert_eq!(
        (run.code, &result["response"], &result["stats"]["tokens"]["total"]),
        (0, &json!("Done."), &json!(14))
    );
    let bodies: Vec<Value> =
        server.received().iter().map(|got| serde_json::from_str(&got.body).unwrap()).collect();
    assert!(server.received()[0].head.starts_with("POST /v1beta/models/gemini-test:streamGenerateContent"));
    assert_eq!(
        bodies[0]["contents"][1],
        json!({ "role": "user", "parts": [{ "text": "Be brief." }] }),
        "Gemini knows no role `system`"
    );
    assert_eq!(
        bodies[0]["toolConfig"]["functionCallingConfig"],
        json!({ "mode": "ANY", "allowedFunctionNames": ["list_directory"] })
    );
    assert!(bodies[1].to_string().contains("functionResponse"));
    let recording = run.project.read("recording.jsonl");
    assert!(recording.lines().count() == 2 && !recording.contains("s3cret"));
    assert!(!serde_json::to_string(&run.log).unwrap().contains("s3cret"));
}

/// L12: a call that is tried again fires no hook again.
#[test]
fn retries_fire_no_hook_again() {
    let busy = sized("429 Too Many Requests", "Retry-After: 0\r\n", "{}");
    let server = Server::start(vec![busy, reply(&json!([{ "text": "Done." }]))]);
    let run =
        against(&server).hook("BeforeModel", record("before.jsonl")).hook("AfterModel", "true").run("hi");
    run.expect(0, "Done.\n");
    assert_eq!(server.received().len(), 2);
    assert_eq!(run.events(), ["BeforeModel", "AfterModel"]);
    assert_eq!(run.lines("model_request").len(), 1);
}

/// HOOK-207: a stream that breaks off is an error of the model, and no hook runs for half a response.
#[test]
fn an_aborted_stream_fires_no_after_model() {
    let text = json!({ "candidates": [{ "content": { "parts": [{ "text": "Once upon" }] } }] });
    let server = Server::start(vec![vec![chunked_head(), chunk(format!("data: {text}\n\n"))]]);
    let run = against(&server).hook("AfterModel", "true").run("hi");
    run.expect(1, "");
    run.expect_printed("error: ");
    assert!(run.events().is_empty(), "HOOK-207: {}", run.shown());
    assert!(run.lines("model_response").is_empty(), "HOOK-207");
    assert_eq!(run.lines("session_end").len(), 1);
}

#[test]
fn a_missing_key_is_reported_before_anything_is_sent() {
    let server = Server::start(vec![reply(&json!([{ "text": "never" }]))]);
    let run = Scenario::new().args(&["--base-url", &server.url()]).run("hi");
    run.expect(1, "");
    run.expect_printed("GEMINI_API_KEY");
    assert!(server.received().is_empty());
}

/// HOOK-138, HOOK-174: a blocked call opens no connection.
#[test]
fn a_blocked_call_touches_no_network() {
    let server = Server::start(vec![reply(&json!([{ "text": "never" }]))]);
    let run = against(&server).hook("BeforeModel", "echo offline >&2; exit 2").run("hi");
    run.expect(0, "");
    assert!(server.received().is_empty(), "HOOK-138, HOOK-174");
}
