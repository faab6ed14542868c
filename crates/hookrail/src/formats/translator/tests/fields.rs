//! The other fields of a request: partial answers, spellings, mistakes.

use super::*;

#[test]
fn partial_answers_change_what_they_name() {
    // HOOK-078, L3: contents stay untouched without messages; other fields stay without being named.
    let base = conversation();
    for (given, expect) in [
        (json!({}), base.clone()),
        (json!({ "messages": null, "config": null, "toolConfig": null, "model": null }), base.clone()),
        (json!({ "unknown": 1, "config": { "seed": 5 } }), base.clone()),
        (json!({ "config": { "topK": 40.0 } }), base.clone()),
        (
            json!({ "model": "other" }),
            GenerateContentParameters { model: "other".to_owned(), ..base.clone() },
        ),
        (json!({ "config": { "temperature": 0 } }), {
            let mut expect = base.clone();
            expect.config.as_mut().unwrap().temperature = Some(0.into());
            expect
        }),
        (json!({ "generationConfig": { "stopSequences": ["END"] } }), {
            let mut expect = base.clone();
            expect.config.as_mut().unwrap().stop_sequences = Some(vec!["END".to_owned()]);
            expect
        }),
        (json!({ "systemInstruction": { "role": "system", "parts": ["be brief"] } }), {
            let mut expect = base.clone();
            expect.config.as_mut().unwrap().system_instruction =
                Some(json!({ "role": "system", "parts": [{ "text": "be brief" }] }));
            expect
        }),
        (json!({ "toolConfig": { "mode": "NONE" } }), {
            let mut expect = base.clone();
            expect.config.as_mut().unwrap().tool_config = Some(
                serde_json::from_value(
                    json!({ "functionCallingConfig": { "mode": "NONE", "allowedFunctionNames": [] } }),
                )
                .unwrap(),
            );
            expect
        }),
    ] {
        assert_eq!(
            DEFAULT_HOOK_TRANSLATOR.from_hook_llm_request(&object(given.clone()), &base),
            Ok(expect),
            "HOOK-078 {given}"
        );
    }
}

#[test]
fn other_spellings_mean_the_same() {
    // L2: the spelling of the API reference and parts in any form.
    let base = conversation();
    let stable = json!([
        { "role": "user", "content": "look at this" },
        { "role": "model", "content": "I will look" },
        { "role": "model", "content": "it is a dog" },
    ]);
    let expected =
        DEFAULT_HOOK_TRANSLATOR.from_hook_llm_request(&object(json!({ "messages": stable })), &base).unwrap();
    for given in [
        json!({ "contents": [
            { "role": "user", "parts": ["look at ", { "text": "this" }] },
            { "role": "model", "parts": [{ "text": "I will look" }] },
            { "role": "model", "parts": ["it is a dog"] },
        ] }),
        json!({ "messages": [
            "look at this",
            { "role": "assistant", "content": ["I will look"] },
            { "role": "model", "content": [{ "type": "text", "text": "it is a dog" }] },
            { "role": "user", "content": "" },
        ] }),
    ] {
        assert_eq!(
            DEFAULT_HOOK_TRANSLATOR.from_hook_llm_request(&object(given.clone()), &base).as_ref(),
            Ok(&expected),
            "{given}"
        );
    }
}

#[test]
fn a_request_in_rest_form_is_changed_where_its_fields_stand() {
    let base = request(json!({
        "contents": "hi",
        "generationConfig": { "temperature": 1, "stopSequences": ["a"] },
        "toolConfig": { "functionCallingConfig": { "mode": "AUTO" } },
        "systemInstruction": "be kind",
    }));
    let given = json!({
        "config": { "temperature": 0, "topP": 0.5, "stopSequences": [] },
        "toolConfig": { "allowedFunctionNames": ["a"] },
        "systemInstruction": "be brief",
    });
    let changed = DEFAULT_HOOK_TRANSLATOR.from_hook_llm_request(&object(given), &base).unwrap();
    assert_eq!(
        serde_json::to_value(changed).unwrap(),
        json!({
            "model": "",
            "contents": [{ "role": "user", "parts": [{ "text": "hi" }] }],
            "generationConfig": { "temperature": 0, "stopSequences": [], "topP": 0.5 },
            "toolConfig": { "functionCallingConfig": { "mode": "AUTO", "allowedFunctionNames": ["a"] } },
            "systemInstruction": { "role": "system", "parts": [{ "text": "be brief" }] },
        })
    );
}

#[test]
fn mistakes_are_named_with_their_place() {
    let base = conversation();
    for (given, expected) in [
        (json!({ "model": 5 }), "`llm_request.model`: expected a text, found the number 5"),
        (json!({ "messages": "hi" }), "`llm_request.messages`: expected a list, found the text \"hi\""),
        (json!({ "messages": [7] }), "`llm_request.messages[0]`: expected an object, found the number 7"),
        (
            json!({ "messages": [{ "role": "user" }] }),
            "`llm_request.messages[0].content`: expected a text or a list of parts, found nothing",
        ),
        (
            json!({ "messages": [{ "role": 1, "content": "" }] }),
            "`llm_request.messages[0].role`: expected a text, found the number 1",
        ),
        (
            json!({ "contents": [{ "parts": ["a", { "functionCall": {} }] }] }),
            "`llm_request.contents[0].parts[1]`: expected a text or an object with a `text`, found an object",
        ),
        (json!({ "config": [] }), "`llm_request.config`: expected an object, found a list"),
        (
            json!({ "config": { "temperature": "hot" } }),
            "`llm_request.config.temperature`: expected a number, found the text \"hot\"",
        ),
        (
            json!({ "config": { "stopSequences": ["a", false] } }),
            "`llm_request.config.stopSequences[1]`: expected a text, found `false`",
        ),
        (
            json!({ "toolConfig": { "mode": "SOME" } }),
            "`llm_request.toolConfig.mode`: expected `AUTO`, `ANY` or `NONE`, found the text \"SOME\"",
        ),
        (
            json!({ "systemInstruction": { "parts": 5 } }),
            "`llm_request.systemInstruction.parts`: expected a text or a list of parts, found the number 5",
        ),
    ] {
        let error = DEFAULT_HOOK_TRANSLATOR.from_hook_llm_request(&object(given), &base).unwrap_err();
        assert_eq!(error.to_string(), expected, "DELTA-HPAY-004");
    }
}

#[test]
fn a_mistyped_field_does_not_undo_its_neighbours() {
    let given = json!({
        "messages": [{ "role": "user", "content": "redacted" }],
        "config": { "temperature": "hot", "topP": 0.5 },
    });
    let (request, problems) =
        apply_hook_llm_request(&object(given), &request(json!({ "contents": "secret" })));
    assert_eq!(request.contents, [Content::text("user", "redacted")]);
    assert_eq!(request.config.unwrap().top_p, serde_json::Number::from_f64(0.5));
    assert_eq!(problems.len(), 1, "{problems:?}");
}

#[test]
fn tool_restrictions_are_merged() {
    let config = |value: Value| -> ToolConfig { serde_json::from_value(value).unwrap() };
    let calling = |value: Value| config(json!({ "functionCallingConfig": value }));
    let base = config(json!({
        "functionCallingConfig": { "mode": "ANY", "allowedFunctionNames": ["a", "b"], "stream": true },
        "retrievalConfig": {},
    }));
    let changed = |value: Value| ToolConfig {
        function_calling_config: Some(serde_json::from_value(value).unwrap()),
        ..base.clone()
    };
    for (case, given, base, expected) in [
        (
            "HOOK-074 names alone keep the mode",
            json!({ "allowedFunctionNames": ["a"] }),
            Some(&base),
            changed(json!({ "mode": "ANY", "allowedFunctionNames": ["a"], "stream": true })),
        ),
        (
            "HOOK-074 mode alone keeps the names",
            json!({ "mode": "AUTO" }),
            Some(&base),
            changed(json!({ "mode": "AUTO", "allowedFunctionNames": ["a", "b"], "stream": true })),
        ),
        (
            "HOOK-074 NONE leaves no names",
            json!({ "mode": "NONE", "allowedFunctionNames": ["a"] }),
            Some(&base),
            changed(json!({ "mode": "NONE", "allowedFunctionNames": [], "stream": true })),
        ),
        ("nothing given, nothing changed", json!({}), Some(&base), base.clone()),
        ("no base", json!({ "mode": "ANY" }), None, calling(json!({ "mode": "ANY" }))),
        (
            "no longer NONE",
            json!({ "mode": "AUTO" }),
            Some(&calling(json!({ "mode": "NONE", "allowedFunctionNames": [] }))),
            calling(json!({ "mode": "AUTO" })),
        ),
        (
            "an unknown mode of the SDK stays",
            json!({ "allowedFunctionNames": ["a"] }),
            Some(&calling(json!({ "mode": "VALIDATED" }))),
            calling(json!({ "mode": "VALIDATED", "allowedFunctionNames": ["a"] })),
        ),
    ] {
        assert_eq!(apply_hook_tool_config(&object(given), base), Ok(expected), "{case}");
    }
    let error = apply_hook_tool_config(&object(json!({ "allowedFunctionNames": "a" })), None).unwrap_err();
    assert_eq!(error.to_string(), "`toolConfig.allowedFunctionNames`: expected a list, found the text \"a\"");
}
