//! Edits of test files that keep comments and formatting: what `--accept` rewrites, and tests that are added. Pure.

use hookrail::internal::{PARSE_OPTIONS, cst_value, split_byte_order_mark};
use jsonc_parser::cst::{CstInputValue, CstNode, CstObject, CstRootNode};
use serde_json::Value;

/// New values of keys of one test's `expect`.
/// The index is that of the file as it was read; a file that was changed meanwhile is refused where it shows.
#[derive(Debug)]
pub(crate) struct Accepted {
    /// The test's place in its file, from 0.
    pub(crate) index: usize,
    /// The keys with what they should say.
    pub(crate) keys: Vec<(&'static str, Value)>,
}

/// Why a test file was not edited.
/// Nothing is written then.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(crate) enum EditError {
    /// It is not what the tests were read from.
    #[error("it is not an array of tests any more")]
    Changed,
    /// A test of that name is there already.
    #[error("it has a test named `{0}` already")]
    Taken(String),
}

/// The text with the keys of some tests rewritten or added.
/// A test without `expect` gets one.
pub(crate) fn accept(text: &str, changes: &[Accepted]) -> Result<String, EditError> {
    let (mark, body) = split_byte_order_mark(text);
    let root = CstRootNode::parse(body, &PARSE_OPTIONS).map_err(|_| EditError::Changed)?;
    let tests = root.array_value().ok_or(EditError::Changed)?.elements();
    for change in changes {
        let found = tests.get(change.index).and_then(CstNode::as_object).ok_or(EditError::Changed)?;
        let expect = if let Some(prop) = found.get("expect") {
            prop.object_value()
        } else {
            found.append("expect", CstInputValue::Object(Vec::new())).object_value()
        };
        let expect = expect.ok_or(EditError::Changed)?;
        for (key, value) in &change.keys {
            set(&expect, key, value);
        }
    }
    Ok(format!("{mark}{root}"))
}

/// The text with tests added at its end. Blank text is an empty file of tests.
/// Names must differ within a file, because reports tell tests apart by them.
pub(crate) fn append(text: &str, added: &[Value]) -> Result<String, EditError> {
    let (mark, body) = split_byte_order_mark(text);
    let body = if body.trim().is_empty() { "[]\n" } else { body };
    let root = CstRootNode::parse(body, &PARSE_OPTIONS).map_err(|_| EditError::Changed)?;
    let tests = root.array_value().ok_or(EditError::Changed)?;
    tests.ensure_multiline();
    for test in added {
        let name = test.get("name").and_then(Value::as_str).unwrap_or_default();
        let is_taken = tests.elements().iter().any(|known| {
            let value = known.as_object().and_then(|known| known.get("name")?.value()?.to_serde_value());
            value.as_ref().and_then(Value::as_str) == Some(name)
        });
        if is_taken {
            return Err(EditError::Taken(name.to_owned()));
        }
        tests.append(cst_value(test));
    }
    Ok(format!("{mark}{root}"))
}

/// Replaces a value in its place, or adds the key at the end.
fn set(object: &CstObject, key: &str, value: &Value) {
    match object.get(key) {
        Some(prop) => prop.set_value(cst_value(value)),
        None => {
            object.append(key, cst_value(value));
        }
    }
}

#[cfg(test)]
mod tests {
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
        assert_eq!(accept("{}", &changes), Err(EditError::Changed));
        assert_eq!(accept("[", &changes), Err(EditError::Changed));
        assert_eq!(accept("[]", &changes), Err(EditError::Changed));
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
        assert_eq!(append(&more, &[test]), Err(EditError::Taken("c".to_owned())));
    }
}
