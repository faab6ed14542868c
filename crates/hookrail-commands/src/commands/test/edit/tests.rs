use serde_json::json;

use super::*;

const FILE: &str = r#"// about pushes
[
  {
    "name": "a", // the first
    "event": "BeforeTool",
    "expect": { "decision": "allow" /* so far */, "reason": "x" }, // why
  },
  { "name": "b", "event": "BeforeTool" }
]
"#;

fn parsed(text: &str) -> Value {
    CstRootNode::parse(text, &PARSE_OPTIONS).unwrap().to_serde_value().unwrap()
}

#[test]
fn accepting_changes_the_keys_and_nothing_else() {
    let changes = [
        Accepted { index: 0, keys: vec![("decision", json!("block")), ("errors", json!(true))] },
        Accepted { index: 1, keys: vec![("decision", json!("allow"))] },
    ];
    let edited = accept(FILE, &changes).unwrap();
    assert_eq!(
        edited,
        r#"// about pushes
[
  {
    "name": "a", // the first
    "event": "BeforeTool",
    "expect": {
      "decision": "block" /* so far */,
      "reason": "x",
      "errors": true
    }, // why
  },
  {
    "name": "b",
    "event": "BeforeTool",
    "expect": {
      "decision": "allow"
    }
  }
]
"#
    );
    assert_eq!(accept("\u{feff}[{}]", &[]).unwrap(), "\u{feff}[{}]");
    assert_eq!(accept("{}", &changes), Err(TestEditError::Changed));
    assert_eq!(accept("[", &changes), Err(TestEditError::Changed));
    assert_eq!(accept("[]", &changes), Err(TestEditError::Changed));
}

#[test]
fn odd_texts_survive() {
    let odd = "a \"quote\" \\ back\nline\u{1}\u{2028}é𝄞";
    let edited = accept(FILE, &[Accepted { index: 0, keys: vec![("reason", json!(odd))] }]).unwrap();
    let value = parsed(&edited);
    assert_eq!(value[0]["expect"]["reason"], json!(odd));
}

#[test]
fn tests_are_added_at_the_end() {
    let test = json!({ "name": "c", "event": "SessionStart" });
    let first = append("", std::slice::from_ref(&test)).unwrap();
    let value: Value = serde_json::from_str(&first).unwrap();
    assert_eq!(value, json!([test]));
    let more = append(FILE, std::slice::from_ref(&test)).unwrap();
    assert!(more.starts_with("// about pushes\n[\n  {\n    \"name\": \"a\", // the first\n"), "{more}");
    let value = parsed(&more);
    assert_eq!(value[2], test);
    assert_eq!(append(&more, &[test]), Err(TestEditError::Taken("c".to_owned())));
}
