use super::*;

#[test]
fn mistakes_are_named_by_line_and_field() {
    for (lines, line, expected) in [
        ("\n\n{\"method\":", 3, "not JSON at column 10 (Eof error)"),
        ("[]", 1, "expected an object, found a list"),
        ("{\"response\":[]}", 1, "the field `method` is missing"),
        ("{\"method\":\"generateContent\"}\n", 1, "the field `response` is missing"),
        (
            "{\"method\":\"countTokens\",\"response\":{}}",
            1,
            "the field `method`: expected `generateContentStream` or `generateContent`, found `\"countTokens\"`",
        ),
        (
            "{\"method\":\"generateContentStream\",\"response\":{}}",
            1,
            "the field `response`: expected a list of chunks, found an object",
        ),
        (
            "{\"method\":\"generateContent\",\"response\":[]}",
            1,
            "the field `response`: expected an object, found a list",
        ),
        (
            "{\"method\":\"generateContentStream\",\"response\":[{},{\"candidates\":{}}]}",
            1,
            "the field `response[1]`: `candidates`: invalid type: map, expected a sequence",
        ),
    ] {
        let error = ReplayModel::parse("run.jsonl", lines.as_bytes()).unwrap_err();
        let expected = format!("the replay file `run.jsonl` has a mistake in line {line}: {expected}");
        assert_eq!(error.to_string(), expected);
    }
}

#[tokio::test]
async fn calls_are_played_in_order_and_run_out() {
    let text = "\u{feff}{\"method\":\"generateContentStream\",\"response\":[\
            {\"candidates\":[{\"content\":{\"parts\":[{\"text\":\"a\"}]}}]},{\"candidates\":[{\"content\":{}}]},\
            {\"candidates\":[{\"content\":{\"parts\":[{\"text\":\"b\"}]},\"finishReason\":\"STOP\"}]}]}\r\n\
            \r\n  \n{\"method\":\"generateContent\",\"response\":{\"candidates\":[{\"content\":{\"parts\":[{\"text\":\"c\"}]}}]}}";
    let model = ReplayModel::parse("run.jsonl", text.as_bytes()).unwrap();
    let request = GenerateContentParameters::default();
    let mut shown = Vec::new();
    let first = model.stream(&request).complete(|chunk| shown.push(chunk.text())).await.unwrap();
    assert_eq!((first.text().as_str(), shown), ("ab", vec!["a".to_owned(), String::new(), "b".to_owned()]));
    assert_eq!(model.stream(&request).complete(|_| ()).await.unwrap().text(), "c");
    let error = model.stream(&request).complete(|_| ()).await.unwrap_err();
    assert_eq!(
        error.to_string(),
        "the replay file `run.jsonl` has no answer left: it holds 2 model calls, and this is one more; add a line for it"
    );
}

#[tokio::test]
async fn empty_answers_and_blocked_prompts_are_errors() {
    let text = "{\"method\":\"generateContentStream\",\"response\":[]}\n\
            {\"method\":\"generateContent\",\"response\":{\"promptFeedback\":{\"blockReason\":\"SAFETY\"}}}";
    let model = ReplayModel::parse("run.jsonl", text.as_bytes()).unwrap();
    for expected in [
        "the model's response is empty; try again or use another model",
        "the prompt was blocked by the model's provider (SAFETY); change the prompt",
    ] {
        let mut stream = model.stream(&GenerateContentParameters::default());
        let error = stream.next().await.unwrap().unwrap_err();
        assert_eq!(error.to_string(), expected);
        assert!(stream.next().await.is_none(), "nothing comes after an error");
    }
}

#[test]
fn a_missing_file_is_named() {
    let error = ReplayModel::load("/nonexistent/run.jsonl").unwrap_err();
    assert_eq!(error.to_string(), "cannot read the replay file `/nonexistent/run.jsonl`");
}
