//! Messages that a hook changed, removed or added.

use super::*;

/// Applies an edit to the messages as shown and gives the whole answer back.
fn edited(edit: impl FnOnce(&mut Vec<Value>)) -> Value {
    let base = conversation();
    let mut given = object(shown(&base));
    edit(given["messages"].as_array_mut().unwrap());
    let changed = DEFAULT_HOOK_TRANSLATOR.from_hook_llm_request(&given, &base).unwrap();
    assert_eq!(changed.config, base.config, "HOOK-078: system instruction, tools and unknown fields stay");
    serde_json::to_value(changed.contents).unwrap()
}

fn original(place: usize) -> Value {
    serde_json::to_value(&conversation().contents[place]).unwrap()
}

#[test]
fn a_changed_message_keeps_what_is_not_text() {
    // HOOK-078, L4.
    let contents = edited(|messages| messages[0]["content"] = json!("look at ***"));
    let image_kept =
        json!({ "role": "user", "parts": [{ "text": "look at ***" }, { "inlineData": { "data": "png" } }] });
    assert_eq!(contents, json!([image_kept, original(1), original(2), original(3)]), "HOOK-078");

    let contents = edited(|messages| messages[1]["content"] = json!("Looking"));
    let mut call_kept = original(1);
    call_kept["parts"][1]["text"] = json!("Looking");
    assert_eq!(contents, json!([original(0), call_kept, original(2), original(3)]), "HOOK-078");
}

#[test]
fn a_removed_message_keeps_its_tool_call_only() {
    let contents = edited(|messages| drop(messages.remove(1)));
    let mut call = original(1);
    call["parts"].as_array_mut().unwrap().remove(1);
    assert_eq!(contents, json!([original(0), call, original(2), original(3)]), "HOOK-078");

    let contents = edited(|messages| drop(messages.pop()));
    assert_eq!(contents, json!([original(0), original(1), original(2)]), "a mere text is gone");

    let contents = edited(Vec::clear);
    assert_eq!(contents.as_array().unwrap().len(), 3, "image, call and result stay: {contents}");
    assert!(!contents.to_string().contains("cat"), "{contents}");
}

#[test]
fn added_messages_land_where_they_were_put() {
    let added = |text: &str| json!({ "role": "user", "parts": [{ "text": text }] });
    let message = |text: &str| json!({ "role": "user", "content": text });
    // HOOK-039: appended after the existing messages.
    assert_eq!(
        edited(|messages| messages.push(message("context"))),
        json!([original(0), original(1), original(2), original(3), added("context")]),
        "HOOK-039"
    );
    assert_eq!(
        edited(|messages| messages.insert(0, message("first"))),
        json!([added("first"), original(0), original(1), original(2), original(3)])
    );
    // After the message that makes the call, but never between the call and its result.
    assert_eq!(
        edited(|messages| messages.insert(2, message("between"))),
        json!([original(0), original(1), original(2), added("between"), original(3)])
    );
    // HOOK-039: also where the conversation ends with an entry that hooks do not see.
    let mut base = conversation();
    base.contents.pop();
    let mut given = object(shown(&base));
    given["messages"].as_array_mut().unwrap().push(message("context"));
    let changed = DEFAULT_HOOK_TRANSLATOR.from_hook_llm_request(&given, &base).unwrap();
    assert_eq!(changed.contents.len(), 4, "HOOK-039");
    assert_eq!(changed.contents[3], Content::text("user", "context"), "HOOK-039");
}

#[test]
fn an_answer_to_a_call_is_never_cut_off_even_when_it_has_text() {
    let base = request(json!({ "contents": [
        { "role": "model", "parts": [{ "text": "call" }, { "functionCall": { "name": "f" } }] },
        { "role": "user", "parts": [{ "functionResponse": { "name": "f" } }, { "text": "note" }] },
    ] }));
    let given = object(json!({ "messages": [
        { "role": "model", "content": "call" }, { "role": "user", "content": "new" }, { "role": "user", "content": "note" },
    ] }));
    let changed = DEFAULT_HOOK_TRANSLATOR.from_hook_llm_request(&given, &base).unwrap();
    assert_eq!(changed.contents[..2], base.contents[..], "HOOK-078");
    assert_eq!(changed.contents[2], Content::text("user", "new"));
}

#[test]
fn long_conversations_are_aligned_with_bounded_effort() {
    let entry = |place: usize| {
        let role = if place.is_multiple_of(2) { "user" } else { "model" };
        json!({ "role": role, "parts": [{ "text": format!("message {place}") }, { "functionCall": { "name": place.to_string() } }] })
    };
    let base = request(json!({ "contents": (0..6000).map(entry).collect::<Vec<_>>() }));
    let calls = |request: &GenerateContentParameters| -> Vec<String> {
        let contents = request.contents.iter();
        contents
            .map(|content| {
                let text: String = content.parts.iter().filter_map(Part::answer_text).collect();
                let call = content.parts.iter().find_map(|part| part.function_call.as_ref());
                format!("{text} {}", call.map_or("-", |call| &call.name))
            })
            .collect()
    };
    // Few changes far apart: every other message is recognised.
    let mut given = object(shown(&base));
    let messages = given["messages"].as_array_mut().unwrap();
    messages[5990]["content"] = json!("message ****");
    messages.insert(10, json!({ "role": "user", "content": "new" }));
    let changed = calls(&DEFAULT_HOOK_TRANSLATOR.from_hook_llm_request(&given, &base).unwrap());
    assert_eq!(changed.len(), 6001);
    assert_eq!(changed[9..12], ["message 9 9", "new -", "message 10 10"]);
    assert_eq!(changed[5991], "message **** 5990");
    // Everything changed in place: every call stays beside the text that replaced its own.
    let mut given = object(shown(&base));
    for message in given["messages"].as_array_mut().unwrap() {
        message["content"] = json!(format!("re: {}", message["content"].as_str().unwrap()));
    }
    let changed = calls(&DEFAULT_HOOK_TRANSLATOR.from_hook_llm_request(&given, &base).unwrap());
    assert!(changed.iter().enumerate().all(|(place, text)| *text == format!("re: message {place} {place}")));
}
