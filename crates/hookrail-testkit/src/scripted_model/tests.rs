use std::io::Read as _;

use super::*;

fn post(model: &ScriptedModel, path: &str, body: &Value) -> String {
    let mut connection = TcpStream::connect(model.address).expect("a connection");
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
        let model =
            ScriptedModel::start(vec![Turn::Shell("ls".to_owned()), Turn::Say("finished".to_owned())]);
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
    let model = ScriptedModel::start(vec![Turn::Shell("ls".to_owned())]);
    let said = post(&model, "/v1/messages", &json!({ "messages": [] }));
    assert!(said.contains("a title"), "{said}");
    let said = post(&model, "/v1/messages/count_tokens", &json!({}));
    assert!(said.contains("input_tokens"), "{said}");
    assert!(model.calls().is_empty());
}
