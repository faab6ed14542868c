use super::*;

#[test]
fn types_of_a_schema_are_words() {
    assert_eq!(type_of(&json!({ "type": "STRING" })), "string");
    assert_eq!(type_of(&json!({ "type": ["string", "null"] })), "string|null");
    assert_eq!(type_of(&json!({ "anyOf": [{ "type": "string" }, { "type": "array" }] })), "string|array");
    assert_eq!(type_of(&json!({})), "any");
}

#[test]
fn an_interface_gives_names_types_and_what_is_required() {
    let text = "\nexport interface FileReadInput {\n  /**\n   * Note: a comment\n   */\n  file_path: string;\n  \
                limit?: number;\n  \"-A\"?: number;\n  edits: {\n    inner: string;\n  }[];\n}\nexport interface McpInput {\n}\n";
    let found = declared_types(text);
    let [(name, Some(parameters))] = found.as_slice() else { panic!("{found:?}") };
    assert_eq!(name, "Read");
    assert_eq!(parameters.required, ["file_path", "edits"]);
    assert_eq!(parameters.types.get("-A").map(String::as_str), Some("number"));
    assert_eq!(parameters.types.len(), 4);
}

#[test]
fn names_are_taken_from_lists_and_constants() {
    assert_eq!(constants("var EDIT_TOOL_NAME = \"replace\";\nX"), ["replace"]);
    assert_eq!(quoted_at_end("  EXEC: \"exec\","), Some("exec".to_owned()));
    assert_eq!(quoted_at_end("  // says \"x\""), None);
}
