use super::*;

fn history(roles: &[(&str, usize)]) -> History {
    let contents = roles.iter().map(|(role, bytes)| match *role {
        "tool" => {
            let result = ToolResult::text("x".repeat(*bytes));
            tool_responses([(FunctionCall::default(), result)])
        }
        role => Content::text(role, "x".repeat(*bytes)),
    });
    History { contents: contents.collect() }
}

#[test]
fn the_old_half_ends_where_no_call_is_torn_from_its_result() {
    for (why, roles, expected) in [
        ("empty", &[][..], None),
        ("one prompt", &[("user", 100), ("model", 100)][..], None),
        ("two prompts", &[("user", 100), ("model", 100), ("user", 10), ("model", 10)], Some(2)),
        (
            "one long run of tools",
            &[("user", 9), ("model", 9), ("tool", 900), ("model", 9), ("tool", 9)],
            Some(3),
        ),
        (
            "the newest is the largest",
            &[("user", 9), ("model", 9), ("user", 9), ("model", 9), ("tool", 9000)],
            Some(3),
        ),
    ] {
        assert_eq!(history(roles).recent_start(), expected, "{why}");
    }
}

#[test]
fn roles_alternate_after_a_summary() {
    let roles = |history: &History| {
        history.contents.iter().map(|content| content.role.clone().unwrap()).collect::<Vec<_>>()
    };
    let mut at_prompt = history(&[("user", 1), ("model", 1), ("user", 1)]);
    at_prompt.summarise(2, "s");
    assert_eq!(roles(&at_prompt), ["user", "model", "user"]);
    let mut at_model = history(&[("user", 1), ("model", 1), ("tool", 1), ("model", 1)]);
    at_model.summarise(3, "s");
    assert_eq!(roles(&at_model), ["user", "model"]);
    let mut all = history(&[("user", 1), ("model", 1)]);
    all.summarise(2, "s");
    assert_eq!(roles(&all), ["user", "model"]);
}

#[test]
fn images_stand_beside_their_response() {
    let mut image = Part::default();
    image.extra.insert("inlineData".to_owned(), json!({ "mimeType": "image/png", "data": "AA==" }));
    let call =
        FunctionCall { id: Some("7".to_owned()), name: "read_file".to_owned(), ..FunctionCall::default() };
    let result = ToolResult {
        llm_content: ToolContent::Parts(vec![image.clone(), Part::text("\n\n[System] a logo")]),
        ..ToolResult::default()
    };
    let content = serde_json::to_value(tool_responses([(call, result)])).unwrap();
    assert_eq!(
        content,
        json!({ "role": "user", "parts": [
                { "functionResponse": { "id": "7", "name": "read_file", "response": { "output": "\n\n[System] a logo" } } },
                { "inlineData": { "mimeType": "image/png", "data": "AA==" } },
            ] })
    );
}
