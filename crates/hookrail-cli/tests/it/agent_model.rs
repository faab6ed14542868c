//! `BeforeModel` and `AfterModel`: what their hooks make of requests and responses.

use serde_json::{Value, json};

use crate::agent_scenario::{Scenario, answer, record, write};

fn last_text(request: &Value) -> &str {
    let contents = request["contents"].as_array().unwrap();
    contents.last().unwrap()["parts"][0]["text"].as_str().unwrap()
}

/// HOOK-033, HOOK-034, HOOK-035, HOOK-041, HOOK-043, HOOK-044, HOOK-045, HOOK-051, HOOK-152, HOOK-153: hooks
/// see every call, complete and in the stable format, whatever their matcher is.
#[test]
fn hooks_see_every_model_call() {
    let run = Scenario::new()
        .calls(&[("list_directory", json!({ "path": "." }))])
        .says("Done.")
        .hook_with("BeforeModel", record("before.jsonl"), json!({ "matcher": "no_such_tool" }))
        .hook_with("AfterModel", record("after.jsonl"), json!({ "matcher": "no_such_tool" }))
        .run("look around");
    run.expect(0, "Done.\n");
    let (before, after) = (run.recorded("before.jsonl"), run.recorded("after.jsonl"));
    assert_eq!((before.len(), after.len()), (2, 2), "HOOK-041, HOOK-051");
    for input in before.iter().chain(&after) {
        for field in ["session_id", "cwd", "timestamp", "transcript_path", "hook_event_name", "llm_request"] {
            assert!(input.get(field).is_some(), "HOOK-034, HOOK-044: {field} in {input}");
        }
        assert_eq!(
            input["llm_request"]["messages"][0],
            json!({ "role": "user", "content": "look around" }),
            "HOOK-035"
        );
        assert!(
            input["llm_request"].get("contents").is_none(),
            "HOOK-035, HOOK-141: the SDK's form stays inside"
        );
    }
    assert_eq!(after[1]["llm_response"]["text"], "Done.", "HOOK-043, HOOK-045, HOOK-153");
    assert_eq!(after[1]["llm_response"]["candidates"][0]["finishReason"], "STOP", "HOOK-045");
    assert_eq!(
        before[1]["llm_request"], after[1]["llm_request"],
        "HOOK-033, HOOK-050, HOOK-152: the real request"
    );
}

/// HOOK-043: `AfterModel` fires before the tools of that answer, and a stop by it keeps them from running.
#[test]
fn after_model_fires_before_the_tools() {
    let scenario = || {
        Scenario::new()
            .calls(&[("list_directory", json!({ "path": "." }))])
            .says("Done.")
            .hook("BeforeTool", "true")
    };
    let run = scenario().hook("AfterModel", "true").run("look around");
    run.expect(0, "Done.\n");
    assert_eq!(run.events(), ["AfterModel", "BeforeTool", "AfterModel"], "HOOK-043");
    let stop = answer(&json!({ "continue": false, "stopReason": "enough" }));
    let run = scenario().hook("AfterModel", stop).run("look around");
    assert_eq!(run.events(), ["AfterModel"], "HOOK-043, HOOK-048: {}", run.shown());
    assert!(run.tools().is_empty(), "HOOK-043, HOOK-048: {}", run.shown());
}

/// HOOK-036, HOOK-138, HOOK-174, HOOK-179: a blocked call with an answer of the hook's own.
/// HOOK-037, HOOK-202: without one, the answer is empty and the reason is shown.
#[test]
fn before_model_blocks() {
    let synthetic = json!({ "decision": "block", "reason": "offline", "hookSpecificOutput": { "llm_response": {
        "candidates": [{ "content": { "role": "model", "parts": ["I am not here."] }, "finishReason": "STOP" }] } } });
    let bare = json!({ "decision": "deny", "reason": "offline" });
    for (requirement, output, stdout) in
        [("HOOK-036, HOOK-138", &synthetic, "I am not here.\n"), ("HOOK-037, HOOK-202", &bare, "")]
    {
        let run = Scenario::new().hook("BeforeModel", answer(output)).hook("AfterModel", "true").run("hi");
        run.expect(0, stdout);
        run.expect_printed("offline");
        assert!(run.lines("model_request").is_empty(), "{requirement}, HOOK-174: nothing is sent");
        let response = &run.lines("model_response")[0]["response"];
        assert_eq!(response["candidates"].as_array().unwrap().len(), 1, "{requirement}");
        assert_eq!(response["candidates"][0]["finishReason"], "STOP", "{requirement}");
        assert_eq!(run.events(), ["BeforeModel"], "{requirement}: there is no response for AfterModel");
    }
    let run = Scenario::new().hook("BeforeModel", "echo too late >&2; exit 2").run("hi");
    run.expect(0, "");
    run.expect_printed("too late");
    assert_eq!(
        run.lines("model_response")[0]["response"]["candidates"][0]["content"]["parts"],
        json!([]),
        "HOOK-202"
    );
}

/// HOOK-038, HOOK-135, HOOK-139, HOOK-179: the changed request is what is sent.
#[test]
fn before_model_changes_the_request() {
    let change = json!({ "hookSpecificOutput": { "llm_request": { "model": "tiny", "config": { "temperature": 0.1 },
        "messages": [{ "role": "user", "content": "my key is [redacted]" }] } } });
    let run = Scenario::new().says("ok").hook("BeforeModel", answer(&change)).run("my key is 12345");
    run.expect(0, "ok\n");
    let request = run.request(0);
    assert_eq!(last_text(request), "my key is [redacted]", "HOOK-038, HOOK-139");
    assert_eq!(
        (&request["model"], &request["config"]["temperature"]),
        (&json!("tiny"), &json!(0.1)),
        "HOOK-135"
    );
    assert!(request["config"]["tools"].is_array(), "what hooks cannot see stays");
}

/// HOOK-039, HOOK-179: added messages come after the conversation.
#[test]
fn before_model_adds_messages() {
    let add = "sed 's/.*\"messages\":\\(\\[.*\\]\\).*/{\"hookSpecificOutput\":{\"llm_request\":{\"messages\":\\1/; \
        s/]$/,{\"role\":\"user\",\"content\":\"Answer in French.\"}]}}}/'";
    let run = Scenario::new().says("Bonjour").hook("BeforeModel", add).run("hi");
    let contents = run.request(0)["contents"].as_array().unwrap();
    let texts: Vec<_> =
        contents.iter().map(|content| content["parts"][0]["text"].as_str().unwrap()).collect();
    assert_eq!(texts, ["hi", "Answer in French."], "HOOK-039: {}", run.shown());
}

/// L11: a chain accumulates.
#[test]
fn chained_before_model_hooks_accumulate() {
    let set = |field: &str, value: f64| {
        answer(&json!({ "hookSpecificOutput": { "llm_request": { field: value } } }))
    };
    let redact = json!({ "hookSpecificOutput": { "llm_request": { "messages": [{ "role": "user", "content": "[redacted]" }] } } });
    let run = Scenario::new()
        .says("ok")
        .hook_with("BeforeModel", answer(&redact), json!({ "sequential": true }))
        .hook_with(
            "BeforeModel",
            answer(&json!({ "hookSpecificOutput": { "llm_request": { "config": { "temperature": 0.5 } } } })),
            json!({ "sequential": true }),
        )
        .hook_with("BeforeModel", set("unknown", 1.0), json!({ "sequential": true }))
        .run("secret");
    assert_eq!(last_text(run.request(0)), "[redacted]", "{}", run.shown());
    assert_eq!(run.request(0)["config"]["temperature"], 0.5);
}

/// HOOK-040, HOOK-048, HOOK-184, HOOK-194, HOOK-180, DELTA-HAPP-001: a stop of any model event ends the run.
#[test]
fn model_hooks_stop_the_agent() {
    let stop = answer(&json!({ "continue": false, "stopReason": "budget used up" }));
    for (requirement, event, requests) in
        [("HOOK-040, HOOK-184", "BeforeModel", 0), ("HOOK-048", "AfterModel", 1)]
    {
        let run =
            Scenario::new().calls(&[write("a.txt", "x")]).says("never").hook(event, stop.clone()).run("hi");
        run.expect(3, "");
        run.expect_printed("Agent execution stopped by hook: budget used up");
        assert_eq!(run.lines("model_request").len(), requests, "{requirement}");
        assert!(run.tools().is_empty(), "{requirement}: no tool runs any more");
        let responses = run.lines("model_response");
        if event == "BeforeModel" {
            assert!(responses.is_empty(), "HOOK-194: a stop makes up no answer");
        } else {
            assert!(
                responses[0]["response"].to_string().contains("budget used up"),
                "HOOK-048: {responses:?}"
            );
        }
        assert_eq!(run.lines("stop")[0]["reason"], "budget used up", "DELTA-HAPP-001");
    }
}

/// HOOK-046, HOOK-047, HOOK-136, HOOK-173, HOOK-180: what the hook makes of the response is what the user,
/// the log and the next request get. L5: the original is never shown.
#[test]
fn after_model_replaces_the_response() {
    let redact = "sed 's/.*\"text\":\"\\([^\"]*\\)\".*/\\1/; s/hunter2/[redacted]/; \
        s/.*/{\"hookSpecificOutput\":{\"llm_response\":{\"candidates\":[{\"content\":{\"role\":\"model\",\"parts\":[\"&\"]}}]}}}/'";
    let run = Scenario::new().says("The password is hunter2.").hook("AfterModel", redact).run("tell me");
    run.expect(0, "The password is [redacted].\n");
    assert!(!run.stderr.contains("hunter2"), "HOOK-173: {}", run.shown());
    let line = run.lines("model_response")[0];
    assert!(
        line["modified"] == true && !line["response"].to_string().contains("hunter2"),
        "HOOK-046, HOOK-136: {line}"
    );

    let replace = json!({ "hookSpecificOutput": { "llm_response": { "text": "Something else." } } });
    let run = Scenario::new().says("One thing.").hook("AfterModel", answer(&replace)).run("tell me");
    run.expect(0, "Something else.\n");
}

/// L5: an `llm_response` equal to the given one changes nothing, and tool calls survive; a replacement drops
/// them, and the trace has a line about it.
#[test]
fn tool_calls_survive_an_equal_response_only() {
    let parts = json!([{ "text": "Writing." }, { "functionCall": { "name": "write_file", "args": { "file_path": "a.txt", "content": "x" } } }]);
    let echo = "sed 's/.*\"llm_response\":\\(.*\\)}$/{\"hookSpecificOutput\":{\"llm_response\":\\1}}/'";
    let run = Scenario::new().model(parts.clone()).says("Done.").hook("AfterModel", echo).run("go");
    run.expect(0, "Done.\n");
    assert_eq!(run.tools(), ["write_file success"], "{}", run.shown());

    let replace = json!({ "hookSpecificOutput": { "llm_response": { "text": "No." } } });
    let run = Scenario::new().model(parts).hook("AfterModel", answer(&replace)).run("go");
    run.expect(0, "No.\n");
    assert!(run.tools().is_empty());
    run.expect_printed("1 tool call(s) of the model are gone");
}

/// HOOK-049, HOOK-180: a suppressed answer is not printed; its tool calls run all the same.
#[test]
fn after_model_hides_the_answer() {
    let run = Scenario::new()
        .model(json!([{ "text": "secret plan" }, { "functionCall": { "name": "write_file", "args": { "file_path": "a.txt", "content": "x" } } }]))
        .says("secret answer")
        .hook("AfterModel", answer(&json!({ "suppressOutput": true })))
        .run("go");
    run.expect(0, "");
    assert!(!run.stderr.contains("secret"), "HOOK-049: {}", run.shown());
    assert_eq!(run.tools(), ["write_file success"], "HOOK-049");
    assert!(run.request(1).to_string().contains("secret plan"), "the model keeps its own words");
}

/// HOOK-180: `AfterModel` cannot block.
#[test]
fn after_model_cannot_block() {
    let run = Scenario::new()
        .says("fine")
        .hook("AfterModel", answer(&json!({ "decision": "block", "reason": "no" })))
        .run("hi");
    run.expect(0, "fine\n");
}

/// HOOK-050, HOOK-172: one `AfterModel` for a response of many chunks, with all of it.
#[test]
fn after_model_sees_the_whole_response_once() {
    let chunk = |text: &str| json!({ "candidates": [{ "content": { "parts": [{ "text": text }] } }] });
    let thought = json!({ "candidates": [{ "content": { "parts": [{ "text": "hmm", "thought": true }] } }] });
    let run = Scenario::new()
        .chunks(
            json!([thought, chunk("Once "), { "candidates": [{ "content": {} }] }, chunk("upon a time.")]),
        )
        .hook("AfterModel", record("after.jsonl"))
        .run("tell");
    run.expect(0, "Once upon a time.\n");
    let seen = run.recorded("after.jsonl");
    assert_eq!(seen.len(), 1, "HOOK-172");
    assert_eq!(seen[0]["llm_response"]["text"], "Once upon a time.", "HOOK-050");
}

/// L13, HOOK-159, HOOK-217: messages of model events reach the model: with that request, or with the next.
#[test]
fn system_messages_reach_the_model_and_not_the_user() {
    let say = |text: &str| answer(&json!({ "systemMessage": text }));
    let run = Scenario::new()
        .calls(&[("list_directory", json!({ "path": "." }))])
        .calls(&[("list_directory", json!({ "path": "." }))])
        .says("Done.")
        .hook("BeforeModel", say("from before"))
        .hook("BeforeToolSelection", say("from selection"))
        .hook("AfterModel", say("from after"))
        .run("hi");
    run.expect(0, "Done.\n");
    let texts = |index: usize| -> Vec<&str> {
        let contents = run.request(index)["contents"].as_array().unwrap();
        contents.iter().filter_map(|content| content["parts"][0]["text"].as_str()).collect()
    };
    assert_eq!(texts(0), ["hi", "[System] from before", "[System] from selection"], "L13");
    assert_eq!(
        texts(1),
        ["hi", "[System] from after", "[System] from before", "[System] from selection"],
        "HOOK-217"
    );
    assert_eq!(texts(2), texts(1), "each message is told once");
    assert!(!run.stderr.lines().any(|line| line.starts_with("from ")), "HOOK-159: {}", run.shown());
}

/// HOOK-141: what reaches the model is the SDK's form, with all parts that hooks never saw.
#[test]
fn a_text_only_hook_destroys_no_tool_call() {
    let echo =
        "sed 's/.*\"llm_request\":\\(.*\\)}$/{\"hookSpecificOutput\":{\"llm_request\":\\1}}/; s/look/peek/'";
    let run = Scenario::new()
        .calls(&[("list_directory", json!({ "path": "." }))])
        .says("Done.")
        .hook("BeforeModel", echo)
        .run("look");
    run.expect(0, "Done.\n");
    let contents = run.request(1)["contents"].as_array().unwrap();
    assert_eq!(contents[0]["parts"][0]["text"], "peek", "{}", run.shown());
    assert!(contents[1]["parts"][0].get("functionCall").is_some(), "HOOK-141: {contents:?}");
    assert!(contents[2]["parts"][0].get("functionResponse").is_some(), "HOOK-141: {contents:?}");
}
