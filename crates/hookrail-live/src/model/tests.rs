use std::io::Read as _;

use super::*;

fn start(turns: Vec<Turn>) -> ScriptedModel {
    ScriptedModel::start(Script { turns, subagent: None }).expect("a model")
}

fn post(model: &ScriptedModel, path: &str, body: &Value) -> String {
    let mut connection = TcpStream::connect(model.url().trim_start_matches("http://")).expect("a connection");
    let body = body.to_string();
    let head = format!("POST {path} HTTP/1.1\r\nHost: x\r\nContent-Length: {}\r\n\r\n", body.len());
    connection.write_all((head + &body).as_bytes()).expect("a request");
    let mut text = String::new();
    connection.read_to_string(&mut text).expect("an answer");
    text
}

/// A request of each API with a shell tool on offer, before and after its result.
fn requests() -> [(&'static str, Value, Value, &'static str); 4] {
    let schema = json!({ "type": "object", "properties": { "command": { "type": "string" } } });
    [
        (
            "/v1/messages?beta=true",
            json!({ "stream": true, "tools": [{ "name": "Bash", "input_schema": schema }], "messages": [] }),
            json!({ "messages": [{ "role": "user", "content": [{ "type": "tool_result" }] }] }),
            "input_json_delta",
        ),
        (
            "/v1/responses",
            json!({ "stream": true, "tools": [{ "name": "exec_command", "parameters": schema }], "input": [] }),
            json!({ "input": [{ "type": "function_call_output" }] }),
            "function_call",
        ),
        (
            "/v1/chat/completions",
            json!({ "stream": true, "tools": [{ "function": { "name": "bash", "parameters": schema } }] }),
            json!({ "messages": [{ "role": "tool" }] }),
            "tool_calls",
        ),
        (
            "/v1beta/models/m:streamGenerateContent?alt=sse",
            json!({ "tools": [{ "functionDeclarations": [{ "name": "run_shell_command", "parameters": schema }] }] }),
            json!({ "contents": [{ "parts": [{ "functionResponse": {} }] }] }),
            "functionCall",
        ),
    ]
}

#[test]
fn every_api_calls_the_tool_and_then_answers() {
    for (path, first, after, call) in requests() {
        let model = start(vec![Turn::shell("ls"), Turn::Say("finished".to_owned())]);
        let said = post(&model, path, &first);
        assert!(said.contains(call) && said.contains("ls") && !said.contains("finished"), "{path}: {said}");
        let mut second = first.clone();
        for (key, value) in after.as_object().expect("an object") {
            second[key] = value.clone();
        }
        let said = post(&model, path, &second);
        assert!(said.contains("finished"), "{path}: {said}");
        assert_eq!(model.calls().len(), 2, "{path}");
    }
}

#[test]
fn requests_on_the_side_are_no_turns() {
    let model = start(vec![Turn::shell("ls")]);
    let said = post(&model, "/v1/messages", &json!({ "messages": [] }));
    assert!(said.contains("a title"), "{said}");
    let said = post(&model, "/v1/messages/count_tokens", &json!({}));
    assert!(said.contains("input_tokens"), "{said}");
    assert!(model.calls().is_empty());
}

#[test]
fn several_calls_are_one_turn() {
    let call = |command: &str| Call::new("Bash", json!({ "command": command }));
    let turns = vec![
        Turn::Calls(vec![call("one"), call("two")]),
        Turn::shell("three"),
        Turn::Say("finished".to_owned()),
    ];
    let model = start(turns);
    let request = |results: usize| {
        let results: Vec<Value> = (0..results).map(|_| json!({ "type": "tool_result" })).collect();
        json!({ "stream": true, "tools": [{ "name": "Bash", "input_schema": {} }],
            "messages": [{ "role": "user", "content": results }] })
    };
    let said = post(&model, "/v1/messages", &request(0));
    assert!(said.contains("one") && said.contains("two") && !said.contains("three"), "{said}");
    assert!(post(&model, "/v1/messages", &request(2)).contains("three"));
    assert!(post(&model, "/v1/messages", &request(3)).contains("finished"));
}

#[test]
fn a_subagent_has_a_script_of_its_own() {
    let script = Script {
        turns: vec![Turn::Calls(vec![Call::new("task", json!({ "prompt": "SUBTASK" }))])],
        subagent: Some(("SUBTASK".to_owned(), vec![Turn::Say("from below".to_owned())])),
    };
    let model = ScriptedModel::start(script).expect("a model");
    let tools = json!([{ "function": { "name": "task", "parameters": {} } }]);
    let request =
        |role: &str| json!({ "tools": tools, "messages": [{ "role": role, "content": "SUBTASK" }] });
    assert!(post(&model, "/v1/chat/completions", &request("user")).contains("from below"));
    // The same words in a call of the model's own.
    assert!(!post(&model, "/v1/chat/completions", &request("assistant")).contains("from below"));
}
