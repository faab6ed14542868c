//! The protocol of `serve`: every event, every kind of error.

use super::*;

/// A valid payload of each event.
fn payloads() -> [(&'static str, Value); 11] {
    let request = json!({ "model": "m", "messages": [{ "role": "user", "content": "hi" }] });
    let response = json!({ "candidates": [{ "content": { "role": "model", "parts": ["hello"] } }] });
    [
        ("BeforeTool", json!({ "tool_name": "t", "tool_input": {} })),
        ("AfterTool", json!({ "tool_name": "t", "tool_input": {}, "tool_response": {} })),
        ("BeforeAgent", json!({ "prompt": "p" })),
        ("AfterAgent", json!({ "prompt": "p", "prompt_response": "r", "stop_hook_active": false })),
        ("BeforeModel", json!({ "llm_request": request })),
        ("AfterModel", json!({ "llm_request": request, "llm_response": response })),
        ("BeforeToolSelection", json!({ "llm_request": request })),
        ("SessionStart", json!({ "source": "startup" })),
        ("SessionEnd", json!({ "reason": "exit" })),
        ("PreCompress", json!({ "trigger": "manual" })),
        (
            "Notification",
            json!({ "notification_type": "ToolPermission", "message": "m", "details": { "type": "info" } }),
        ),
    ]
}

#[test]
fn each_event_reaches_its_hooks_and_is_answered_under_its_id() {
    let project = TestProject::new();
    let events = payloads();
    let entries: Vec<_> =
        events.iter().map(|(event, _)| (*event, "", "cat > \"$PWD/$(date +%s%N)-$$\"")).collect();
    project.user_settings(&hooks(&entries));
    let mut server = Server::start(&project, &[]);
    for (event, input) in &events {
        let answer = server.ask(&request(event, event, input));
        assert_eq!(answer["type"], "hook-execution-response", "DELTA-HBUS-001");
        assert_eq!(answer["correlationId"], *event, "DELTA-HEVT-002: {event}");
        assert_eq!(answer["success"], true, "DELTA-HEVT-002: {event}: {answer}");
        assert_eq!(answer["output"]["blocked"], false, "{event}");
        assert!(answer.get("error").is_none(), "{event}");
    }
    assert!(server.finish().is_empty());
    let mut seen: Vec<String> = Vec::new();
    for file in std::fs::read_dir(project.dir()).unwrap().flatten().filter(|file| file.path().is_file()) {
        let input: Value = serde_json::from_slice(&std::fs::read(file.path()).unwrap()).unwrap();
        seen.push(input["hook_event_name"].as_str().unwrap().to_owned());
    }
    seen.sort();
    let mut expected: Vec<_> = events.iter().map(|(event, _)| (*event).to_owned()).collect();
    expected.sort();
    assert_eq!(seen, expected, "DELTA-HEVT-001: each request is routed to the hooks of its event, once");
}

#[test]
fn the_verdict_is_in_the_answer() {
    let block =
        r#"echo '{"decision":"block","reason":"not here","systemMessage":"hm","suppressOutput":true}'"#;
    let project = project_with(&[
        ("BeforeTool", "write_file", block),
        ("BeforeTool", "rm", "echo 'never' >&2; exit 2"),
        ("BeforeTool", "deploy", r#"echo '{"decision":"ask","reason":"is it safe?"}'"#),
        ("BeforeTool", "stop", r#"echo '{"continue":false,"stopReason":"enough"}'"#),
        ("BeforeTool", "broken", "exit 7"),
    ]);
    let mut server = Server::start(&project, &[]);

    let blocked = server.ask(&tool_request("1", "write_file"));
    let mut output = blocked["output"].clone();
    output["totalDuration"] = json!(0);
    let hook_said =
        json!({ "decision": "block", "reason": "not here", "systemMessage": "hm", "suppressOutput": true });
    assert_eq!(
        output,
        json!({
            "success": true, "finalOutput": hook_said, "allOutputs": [hook_said], "errors": [], "totalDuration": 0,
            "blocked": true, "blockCause": "policy", "ask": false, "reason": "not here",
            "shouldStop": false, "stopReason": null, "systemMessage": "hm", "suppressOutput": true,
            "warnings": [],
        }),
        "DELTA-HBUS-001"
    );
    let asked = server.ask(&tool_request("5", "deploy"));
    let (output, because) = (&asked["output"], json!("is it safe?"));
    assert_eq!((&output["ask"], &output["blocked"]), (&json!(true), &json!(false)), "O7: {asked}");
    assert_eq!((&output["reason"], &output["finalOutput"]["decision"]), (&because, &json!("ask")), "O7");
    let denied = server.ask(&tool_request("2", "rm"));
    assert_eq!(denied["success"], false, "exit 2 makes it false: {denied}");
    assert_eq!(denied["output"]["blocked"], true);
    assert_eq!(denied["output"]["reason"], "never");
    assert!(denied.get("error").is_none());
    let stopped = server.ask(&tool_request("3", "stop"));
    assert_eq!(stopped["output"]["shouldStop"], true);
    assert_eq!(stopped["output"]["stopReason"], "enough");
    let broken = server.ask(&tool_request("4", "broken"));
    assert_eq!((&broken["success"], &broken["output"]["blocked"]), (&json!(false), &json!(false)));
    assert_eq!(broken["output"]["errors"].as_array().unwrap().len(), 1);
    let unheard = server.ask(&tool_request("5", "read_file"));
    assert_eq!(
        unheard,
        json!({
            "type": "hook-execution-response", "correlationId": "5", "success": true,
            "output": {
                "success": true, "finalOutput": null, "allOutputs": [], "errors": [], "totalDuration": 0,
                "blocked": false, "blockCause": null, "ask": false, "reason": null,
                "shouldStop": false, "stopReason": null, "systemMessage": null, "suppressOutput": false,
                "warnings": [],
            },
        })
    );
    assert!(server.finish().is_empty());
}

#[test]
fn what_blocked_and_what_was_odd_are_in_the_answer() {
    let project = TestProject::new();
    let hook = |command: &str| json!({ "type": "command", "command": command, "onFailure": "block" });
    project.user_settings(&json!({ "enableHooks": true, "hooks": { "BeforeTool": [
        { "matcher": "fails", "hooks": [hook("exit 7")] },
        { "matcher": "odd", "hooks": [hook("echo '{\"decision\":5}'")] },
    ] } }));
    let mut server = Server::start(&project, &[]);
    let failed = &server.ask(&tool_request("1", "fails"))["output"];
    assert_eq!((&failed["blocked"], &failed["blockCause"]), (&json!(true), &json!("failure")), "{failed}");
    let odd = &server.ask(&tool_request("2", "odd"))["output"];
    let warnings = odd["warnings"].as_array().unwrap();
    assert_eq!(odd["blocked"], false);
    assert!(warnings.iter().any(|warning| warning.as_str().unwrap().contains("decision")), "{odd}");
    assert!(server.finish().is_empty());
}

#[test]
fn errors_are_answered_and_the_server_goes_on() {
    let project = project_with(&[("BeforeTool", "", "touch ran")]);
    let mut server = Server::start(&project, &["--max-line-bytes", "200000"]);
    let deep = format!("{}1{}", "[".repeat(100_000), "]".repeat(100_000 - 1));
    let deep_input = format!(
        r#"{{"type":"hook-execution-request","eventName":"BeforeTool","correlationId":"d","input":{}{}}}"#,
        r#"{"a":"#.repeat(20_000),
        "}".repeat(20_000)
    );
    for (bytes, code, what) in [
        (&b"not json"[..], "invalid_request", "not JSON"),
        (b"[1,2]", "invalid_request", "an array"),
        (b"7", "invalid_request", "a number"),
        (b"{\"a\":\xff}", "invalid_request", "bytes that are no UTF-8"),
        (b"\"\xff\xfe\"", "invalid_request", "a text that is no UTF-8"),
        (b"{}", "invalid_request", "an empty object"),
        (b"\0\0\0", "invalid_request", "NULs"),
        (b"{\"type\":\"hook-execution-request\"", "invalid_request", "an end too early"),
        (deep.as_bytes(), "invalid_request", "deep nesting"),
        (deep_input.as_bytes(), "invalid_request", "deep nesting in the payload"),
        (&vec![b'x'; 200_001], "invalid_request", "a line that is too long"),
        (&vec![b'x'; 3_000_000], "invalid_request", "a line that is far too long"),
        (br#"{"type":"other","correlationId":"9"}"#, "invalid_request", "another type"),
        (br#"{"type":"hook-execution-request","eventName":"BeforeTool"}"#, "invalid_request", "no input"),
        (
            br#"{"type":"hook-execution-request","eventName":"BeforeTool","input":[]}"#,
            "invalid_request",
            "an array for input",
        ),
        (
            br#"{"type":"hook-execution-request","eventName":"BeforeTools","input":{}}"#,
            "unsupported_event",
            "no event",
        ),
    ] {
        server.send_bytes(bytes);
        server.send_bytes(b"\n");
        let answer = server.answer();
        assert_eq!(answer["error"]["code"], code, "DELTA-HFAIL-002: {what}: {answer}");
        assert_eq!(answer["success"], false, "DELTA-HFAIL-002: {what}");
        assert!(!answer["error"]["message"].as_str().unwrap().is_empty(), "DELTA-HFAIL-002: {what}");
        assert!(!answer["correlationId"].as_str().unwrap().is_empty(), "DELTA-HBUS-003: {what}");
    }
    server.send_bytes(b"\n\r\n   \n");
    let fine = server.ask(&tool_request("still here", "t"));
    assert_eq!(fine["correlationId"], "still here", "empty lines are no requests");
    assert!(server.finish().is_empty());
}

#[test]
fn an_unknown_event_gets_a_structured_refusal() {
    let project = project_with(&[]);
    let mut server = Server::start(&project, &[]);
    let answer = server.ask(&request("8", "BeforeTol", &json!({})));
    assert_eq!(answer["correlationId"], "8", "DELTA-HEVT-003");
    assert_eq!(answer["success"], false, "DELTA-HEVT-003");
    assert_eq!(answer["error"]["code"], "unsupported_event", "DELTA-HEVT-003");
    assert_eq!(answer["error"]["details"]["eventName"], "BeforeTol", "DELTA-HEVT-003");
    assert!(answer.get("output").is_none());
    assert!(server.finish().is_empty());
}

#[test]
fn a_payload_that_is_wrong_runs_no_hook() {
    let project = TestProject::new();
    let events = payloads();
    let entries: Vec<_> = events.iter().map(|(event, _)| (*event, "", "touch ran")).collect();
    project.user_settings(&hooks(&entries));
    let mut server = Server::start(&project, &[]);
    for (event, input) in &events {
        let fields = input.as_object().unwrap();
        for field in fields.keys().filter(|field| *field != "details") {
            let mut without = fields.clone();
            without.remove(field);
            let mut mistyped = fields.clone();
            mistyped[field] = json!(17);
            for broken in [without, mistyped] {
                let answer = server.ask(&request("v", event, &Value::Object(broken)));
                let error = &answer["error"];
                assert_eq!(
                    error["code"], "validation_failure",
                    "DELTA-HPAY-001, DELTA-HPAY-002: {event}.{field}: {answer}"
                );
                assert_eq!(answer["correlationId"], "v", "DELTA-HPAY-002: {event}.{field}");
                let named = error["details"]["field"].as_str().unwrap();
                assert!(named.starts_with(field.as_str()), "DELTA-HPAY-002: {event}.{field}, not {named}");
            }
        }
    }
    let odd_details = json!({ "notification_type": "x", "message": "m", "details": 3 });
    let answer = server.ask(&request("v", "Notification", &odd_details));
    assert_eq!(answer["error"]["code"], "validation_failure", "DELTA-HPAY-001");
    assert!(server.finish().is_empty());
    assert!(!project.dir().join("ran").exists(), "DELTA-HPAY-002: nothing runs for a payload that is wrong");
}

#[test]
fn a_model_payload_that_cannot_be_translated_runs_no_hook() {
    let project = project_with(&[("BeforeModel", "", "touch ran"), ("AfterModel", "", "touch ran")]);
    let mut server = Server::start(&project, &[]);
    for (event, input, field) in [
        (
            "BeforeModel",
            json!({ "llm_request": { "model": "m", "contents": [{ "parts": 5 }] } }),
            "llm_request",
        ),
        (
            "AfterModel",
            json!({
                "llm_request": { "model": "m", "contents": "hi" },
                "llm_response": { "candidates": [{ "content": { "parts": [{ "text": 4 }] } }] },
            }),
            "llm_response",
        ),
    ] {
        let answer = server.ask(&request("m", event, &input));
        assert_eq!(answer["error"]["code"], "translation_failure", "DELTA-HPAY-004: {answer}");
        assert_eq!(answer["correlationId"], "m", "DELTA-HPAY-004");
        let named = answer["error"]["details"]["field"].as_str().unwrap();
        assert!(named.starts_with(field), "DELTA-HPAY-004: {named}");
    }
    assert!(server.finish().is_empty());
    assert!(!project.dir().join("ran").exists(), "DELTA-HPAY-004");
}

#[test]
fn model_payloads_come_in_either_form_and_reach_hooks_in_the_stable_one() {
    let project = project_with(&[("AfterModel", "", "cat > seen.json")]);
    let mut server = Server::start(&project, &[]);
    let stable_request = json!({ "model": "m", "messages": [{ "role": "user", "content": "hi" }] });
    let sdk_request = json!({ "model": "m", "contents": [{ "role": "user", "parts": [{ "text": "hi" }] }] });
    let stable_response =
        json!({ "text": "yo", "candidates": [{ "content": { "role": "model", "parts": ["yo"] } }] });
    let sdk_response =
        json!({ "candidates": [{ "content": { "role": "model", "parts": [{ "text": "yo" }] } }] });
    for (given_request, given_response) in
        [(&stable_request, &stable_response), (&sdk_request, &sdk_response), (&sdk_request, &stable_response)]
    {
        let input = json!({ "llm_request": given_request, "llm_response": given_response });
        let answer = server.ask(&request("m", "AfterModel", &input));
        assert_eq!(answer["success"], true, "{answer}");
        let seen: Value = serde_json::from_str(&project.read("seen.json")).unwrap();
        assert_eq!(seen["llm_request"]["messages"], stable_request["messages"], "{given_request}");
        assert!(seen["llm_request"].get("contents").is_none());
        let parts = &seen["llm_response"]["candidates"][0]["content"]["parts"];
        assert_eq!(parts, &json!(["yo"]), "{given_response}");
    }
    assert!(server.finish().is_empty());
}

#[test]
fn older_spellings_and_missing_ids_are_understood() {
    let project = project_with(&[("BeforeTool", "", "exit 0")]);
    let mut server = Server::start(&project, &[]);
    let input = json!({ "tool_name": "t", "tool_input": {} });
    let nested = json!({
        "type": "HOOK_EXECUTION_REQUEST",
        "payload": { "eventName": "BeforeTool", "correlationId": "old", "input": input },
    });
    let answer = server.ask(&nested.to_string());
    assert_eq!((&answer["correlationId"], &answer["success"]), (&json!("old"), &json!(true)), "{answer}");
    let flat = json!({ "type": "HOOK_EXECUTION_REQUEST", "eventName": "BeforeTool", "correlationId": "f", "input": input });
    assert_eq!(server.ask(&flat.to_string())["correlationId"], "f");

    let mut generated = Vec::new();
    for _ in 0..3 {
        let without = json!({ "type": "hook-execution-request", "eventName": "BeforeTool", "input": input });
        let answer = server.ask(&without.to_string());
        assert_eq!(answer["success"], true, "DELTA-HBUS-003");
        generated.push(answer["correlationId"].as_str().expect("DELTA-HBUS-003: an id").to_owned());
    }
    generated.sort();
    generated.dedup();
    assert_eq!(generated.len(), 3, "DELTA-HBUS-003: each has an id of its own");
    assert!(server.finish().is_empty());
}

#[test]
fn what_javascript_writes_is_read() {
    let project = project_with(&[("BeforeAgent", "", r#"echo '{"decision":"block","reason":"guarded"}'"#)]);
    let mut server = Server::start(&project, &[]);
    for prompt in [r#""half a pair: \ud83d""#, r#""fine: \ud83d\ude00""#] {
        let line = format!(
            r#"{{"type":"hook-execution-request","eventName":"BeforeAgent","correlationId":"j","input":{{"prompt":{prompt}}}}}"#
        );
        assert_eq!(
            server.ask(&line)["output"]["reason"],
            "guarded",
            "no text switches a guard off: {prompt}"
        );
    }
    assert!(server.finish().is_empty());
}

#[test]
fn with_hooks_off_requests_are_checked_and_succeed() {
    let project = TestProject::new();
    let mut server = Server::start(&project, &[]);
    let answer = server.ask(&tool_request("1", "t"));
    assert_eq!((&answer["success"], &answer["output"]["allOutputs"]), (&json!(true), &json!([])));
    assert_eq!(server.ask(&request("2", "BeforeTool", &json!({})))["error"]["code"], "validation_failure");
    server.close_input();
    let (status, _, messages) = server.end();
    assert_eq!(status.code(), Some(0));
    assert_eq!(messages.matches("hooks are off").count(), 1, "{messages}");
}

#[test]
fn hooks_of_a_project_run_only_when_they_are_approved() {
    let project = TestProject::new();
    project.settings(&hooks(&[("BeforeTool", "", "touch ran; exit 2"), ("AfterTool", "", "true")]));
    let mut server = Server::start(&project, &[]);
    for id in ["1", "2"] {
        assert_eq!(server.ask(&tool_request(id, "t"))["output"]["blocked"], false);
    }
    server.close_input();
    let (_, _, messages) = server.end();
    assert_eq!(messages.matches("not approved").count(), 1, "one warning: {messages}");
    assert!(messages.contains("hookrail trust"), "{messages}");
    assert!(!project.dir().join("ran").exists());

    let mut trusting = Server::start(&project, &["--trust-hooks"]);
    assert_eq!(trusting.ask(&tool_request("1", "t"))["output"]["blocked"], true);
    assert!(trusting.finish().is_empty());
}

#[test]
fn the_last_line_needs_no_end() {
    let project = project_with(&[("BeforeTool", "", "exit 2")]);
    let mut server = Server::start(&project, &[]);
    server.send_bytes(tool_request("last", "t").as_bytes());
    let left = server.finish();
    assert_eq!(left.len(), 1);
    assert_eq!(left[0]["correlationId"], "last");
}

#[test]
fn files_serve_as_stdin_and_stdout() {
    let project = project_with(&[("BeforeTool", "guarded", "exit 2")]);
    let lines = format!(
        "{}
{}
",
        tool_request("guarded", "guarded"),
        tool_request("free", "free")
    );
    let (given, taken) = (project.file("in.jsonl", lines), project.dir().join("out.jsonl"));
    let status = program(&project)
        .arg("serve")
        .stdin(std::fs::File::open(given).unwrap())
        .stdout(std::fs::File::create(&taken).unwrap())
        .status()
        .unwrap();
    assert_eq!(status.code(), Some(0));
    let answers = by_id(
        std::fs::read_to_string(taken).unwrap().lines().map(|line| serde_json::from_str(line).unwrap()),
    );
    assert_eq!(answers["guarded"]["output"]["blocked"], true);
    assert_eq!(answers["free"]["output"]["blocked"], false);
}
