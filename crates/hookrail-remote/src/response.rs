//! The messages of the bus as a client sees them.

use serde::Serialize;
use serde_json::value::RawValue;
use serde_json::{Map, Value, json};

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Request<'a, C> {
    #[serde(rename = "type")]
    message_type: &'a str,
    event_name: &'a str,
    correlation_id: &'a str,
    caller: &'a C,
    input: &'a RawValue,
}

/// What a service is asked.
pub struct Question<'a, C> {
    /// The name of the event.
    pub event: &'a str,
    /// What a command would read from stdin.
    pub payload: &'a [u8],
    /// Where the call is made, as it is seen there.
    pub caller: &'a C,
}

impl<C: Serialize> Question<'_, C> {
    /// The request.
    pub fn message(&self) -> Result<Vec<u8>, String> {
        let unreadable = |error: serde_json::Error| format!("the question cannot be written: {error}");
        let input: &RawValue = serde_json::from_slice(self.payload).map_err(unreadable)?;
        // The address for the answer is made for this question alone, so that the id has nothing to tell apart.
        let message = Request {
            message_type: "hook-execution-request",
            event_name: self.event,
            correlation_id: "1",
            caller: self.caller,
            input,
        };
        serde_json::to_vec(&message).map_err(unreadable)
    }
}

/// The output of a hook that a response is read as: `finalOutput`, and a verdict also where that is missing or says less.
pub fn output_of(response: &[u8]) -> Result<Vec<u8>, String> {
    let response: Value = serde_json::from_slice(response)
        .map_err(|_| "answered with something that is not JSON".to_owned())?;
    if response.get("type").and_then(Value::as_str) != Some("hook-execution-response") {
        return Err("answered with something that is not a response".to_owned());
    }
    let text = |value: &Value, key: &str| value.get(key).and_then(Value::as_str).map(str::to_owned);
    let holds = |value: &Value, key: &str| value.get(key) == Some(&Value::Bool(true));
    let Some(result) = response.get("output").filter(|output| output.is_object()) else {
        let error = response.get("error").unwrap_or(&Value::Null);
        let details = error.get("details").unwrap_or(&Value::Null);
        if holds(details, "blocked") {
            return Ok(json!({ "decision": "block", "reason": text(details, "reason") }).to_string().into());
        }
        let why = text(error, "message").unwrap_or_else(|| "no reason given".to_owned());
        return Err(format!("the service could not decide: {why}"));
    };
    let (mut output, said) = match result.get("finalOutput") {
        Some(Value::Object(output)) => (output.clone(), true),
        None | Some(Value::Null) => (Map::new(), false),
        Some(_) => return Err("answered with an output that is not an object".to_owned()),
    };
    let verdict = match (holds(result, "blocked"), holds(result, "ask")) {
        (true, _) => Some("block"),
        (false, true) => Some("ask"),
        (false, false) => None,
    };
    if let Some(verdict) = verdict {
        output.insert("decision".to_owned(), verdict.into());
        if let Some(Value::Object(specific)) = output.get_mut("hookSpecificOutput") {
            specific.remove("permissionDecision");
        }
        if let Some(reason) = text(result, "reason") {
            output.insert("reason".to_owned(), reason.into());
        }
    }
    if holds(result, "shouldStop") {
        output.insert("continue".to_owned(), false.into());
        if let Some(reason) = text(result, "stopReason") {
            output.insert("stopReason".to_owned(), reason.into());
        }
    }
    if output.is_empty() && !said {
        return Ok(Vec::new());
    }
    Ok(Value::Object(output).to_string().into_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_verdict_counts_whatever_the_output_says() {
        let response = |output: Value| json!({ "type": "hook-execution-response", "output": output });
        for (answer, expected) in [
            (response(json!({ "finalOutput": null })), Ok("")),
            (response(json!({ "finalOutput": {} })), Ok("{}")),
            (
                response(
                    json!({ "finalOutput": { "decision": "allow", "reason": "fine" }, "blocked": false }),
                ),
                Ok(r#"{"decision":"allow","reason":"fine"}"#),
            ),
            (
                response(json!({ "finalOutput": null, "blocked": true, "reason": "no" })),
                Ok(r#"{"decision":"block","reason":"no"}"#),
            ),
            (
                response(json!({ "finalOutput": { "decision": "allow" }, "blocked": true, "ask": true })),
                Ok(r#"{"decision":"block"}"#),
            ),
            (
                response(json!({ "finalOutput": null, "ask": true, "reason": "sure?" })),
                Ok(r#"{"decision":"ask","reason":"sure?"}"#),
            ),
            (
                response(json!({ "finalOutput": null, "shouldStop": true, "stopReason": "enough" })),
                Ok(r#"{"continue":false,"stopReason":"enough"}"#),
            ),
            (
                response(json!({ "blocked": true, "finalOutput":
                    { "hookSpecificOutput": { "permissionDecision": "allow", "tool_input": {} } } })),
                Ok(r#"{"hookSpecificOutput":{"tool_input":{}},"decision":"block"}"#),
            ),
            (
                json!({ "type": "hook-execution-response", "error": { "message": "m", "details": { "blocked": true, "reason": "no" } } }),
                Ok(r#"{"decision":"block","reason":"no"}"#),
            ),
            (
                json!({ "type": "hook-execution-response", "error": { "message": "m", "details": {} } }),
                Err("the service could not decide: m"),
            ),
            (
                json!({ "type": "hook-execution-response" }),
                Err("the service could not decide: no reason given"),
            ),
            (
                response(json!({ "finalOutput": "allow" })),
                Err("answered with an output that is not an object"),
            ),
            (json!({ "decision": "allow" }), Err("answered with something that is not a response")),
            (json!([]), Err("answered with something that is not a response")),
        ] {
            let read = output_of(answer.to_string().as_bytes());
            let read = read.map(|bytes| String::from_utf8(bytes).unwrap());
            assert_eq!(read.as_deref().map_err(String::as_str), expected, "{answer}");
        }
        assert!(output_of(b"{").is_err());
        assert!(output_of("[".repeat(100_000).as_bytes()).is_err());
    }

    #[test]
    fn a_question_is_a_request_of_the_bus() {
        let question =
            Question { event: "BeforeTool", payload: br#"{"a":1}"#, caller: &json!({ "home": "/h" }) };
        let message: Value = serde_json::from_slice(&question.message().unwrap()).unwrap();
        let expected = json!({ "type": "hook-execution-request", "eventName": "BeforeTool", "correlationId": "1",
            "caller": { "home": "/h" }, "input": { "a": 1 } });
        assert_eq!(message, expected);
    }
}
