use super::*;

fn body(request: Value) -> Value {
    request_body(&serde_json::from_value(request).unwrap())
}

#[test]
fn the_config_is_spread_over_the_body() {
    let tools = json!([{ "functionDeclarations": [{ "name": "glob", "parametersJsonSchema": {} }] }]);
    let sent = body(json!({
        "model": "gemini-x",
        "contents": [{ "role": "user", "parts": [{ "text": "hi" }] }, { "role": "model", "parts": [] },
                     { "role": "model", "parts": [{ "functionCall": { "name": "glob" }, "thoughtSignature": "s" }] }],
        "config": {
            "systemInstruction": "be brief", "temperature": 0.5, "maxOutputTokens": 9, "topP": 1, "topK": 40,
            "stopSequences": ["END"], "candidateCount": 1, "presencePenalty": 0.1, "frequencyPenalty": 0.2,
            "tools": tools, "safetySettings": [], "cachedContent": "c", "abortSignal": {}, "httpOptions": {},
            "thinkingConfig": { "includeThoughts": true }, "responseMimeType": "text/plain",
            "generationConfig": { "seed": 7, "temperature": 2 },
        },
        "future": 1,
    }));
    assert_eq!(
        sent,
        json!({
            "contents": [{ "role": "user", "parts": [{ "text": "hi" }] },
                         { "role": "model", "parts": [{ "functionCall": { "name": "glob" }, "thoughtSignature": "s" }] }],
            "systemInstruction": { "parts": [{ "text": "be brief" }] },
            "tools": tools, "safetySettings": [], "cachedContent": "c",
            "generationConfig": {
                "thinkingConfig": { "includeThoughts": true }, "responseMimeType": "text/plain", "seed": 7,
                "temperature": 0.5, "maxOutputTokens": 9, "topP": 1, "topK": 40, "stopSequences": ["END"],
                "candidateCount": 1, "presencePenalty": 0.1, "frequencyPenalty": 0.2,
            },
            "future": 1,
        })
    );
}

#[test]
fn nothing_is_made_up() {
    assert_eq!(body(json!({ "model": "m", "contents": [] })), json!({ "contents": [] }));
    assert_eq!(body(json!({ "config": { "tools": [] } })), json!({ "contents": [] }));
}

#[test]
fn system_instruction_in_any_spelling() {
    let one = || json!({ "parts": [{ "text": "a" }] });
    for (given, expected) in [
        (json!("a"), one()),
        (json!({ "text": "a" }), one()),
        (
            json!({ "role": "system", "parts": [{ "text": "a" }] }),
            json!({ "role": "system", "parts": [{ "text": "a" }] }),
        ),
        (json!({ "parts": "a" }), one()),
        (json!(["a", { "text": "b" }]), json!({ "parts": [{ "text": "a" }, { "text": "b" }] })),
        (json!([{ "parts": [{ "text": "a" }] }]), one()),
        (json!([]), Value::Null),
    ] {
        let sent = body(json!({ "config": { "systemInstruction": given } }));
        assert_eq!(sent.get("systemInstruction").unwrap_or(&Value::Null), &expected, "{given}");
    }
}

/// Ruling L7.
#[test]
fn names_go_out_with_mode_any_only() {
    let tools = json!([{ "functionDeclarations": [{ "name": "glob" }, { "name": "read_file" }] }]);
    for (given, expected) in [
        (
            json!({ "mode": "ANY", "allowedFunctionNames": ["glob"] }),
            json!({ "mode": "ANY", "allowedFunctionNames": ["glob"] }),
        ),
        (
            json!({ "mode": "ANY", "allowedFunctionNames": ["glob", "gone"] }),
            json!({ "mode": "ANY", "allowedFunctionNames": ["glob"] }),
        ),
        (json!({ "mode": "ANY", "allowedFunctionNames": ["gone"] }), json!({ "mode": "NONE" })),
        (json!({ "mode": "ANY", "allowedFunctionNames": [] }), json!({ "mode": "ANY" })),
        (json!({ "mode": "AUTO", "allowedFunctionNames": ["glob"] }), json!({ "mode": "AUTO" })),
        (json!({ "mode": "NONE", "allowedFunctionNames": [] }), json!({ "mode": "NONE" })),
        (json!({ "mode": "VALIDATED", "new": 1 }), json!({ "mode": "VALIDATED", "new": 1 })),
        (json!({ "allowedFunctionNames": ["glob"] }), json!({})),
    ] {
        let sent = body(
            json!({ "config": { "tools": tools, "toolConfig": { "functionCallingConfig": given, "x": 1 } } }),
        );
        let expected = json!({ "functionCallingConfig": expected, "x": 1 });
        assert_eq!(sent.get("toolConfig"), Some(&expected), "{given}");
    }
    let sent = body(json!({ "config": { "toolConfig": { "functionCallingConfig": { "mode": "NONE" } } } }));
    assert_eq!(sent, json!({ "contents": [] }), "no tools, no tool configuration");
}

#[test]
fn responses_are_read_leniently_and_refused_by_field() {
    for (value, expected) in [
        (json!({ "candidates": null }), Ok(())),
        (json!({ "candidates": [{ "content": { "parts": null, "role": null } }] }), Ok(())),
        (json!({ "candidates": [{ "content": null }, {}] }), Ok(())),
        (json!([]), Err("expected an object, found a list")),
        (json!({ "candidates": 5 }), Err("`candidates`: ")),
        (
            json!({ "candidates": [{ "content": { "parts": [{ "text": 5 }] } }] }),
            Err("`candidates[0].content.parts[0].text`: "),
        ),
    ] {
        match (response_from_value(value.clone()), expected) {
            (Ok(_), Ok(())) => {}
            (Err(found), Err(start)) => assert!(found.starts_with(start), "{value}: {found}"),
            (found, expected) => panic!("{value}: {found:?}, expected {expected:?}"),
        }
    }
}
