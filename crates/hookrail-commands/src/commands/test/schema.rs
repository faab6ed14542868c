//! The JSON Schema of test files. It is written by hand: the reader works on places in the text, not on types.
//! A test compares its keys and words with those of the reader.

/// The schema as it is printed, and as it lies in `schemas/`.
pub(crate) fn text() -> &'static str {
    crate::texts::TEXTS.get("schema.json")
}

#[cfg(test)]
mod tests {
    use hookrail::EventName;
    use hookrail_bridge::Agent;
    use serde_json::Value;

    use super::*;
    use crate::commands::test::case::DecisionWord;
    use crate::commands::test::read::{EXPECT_KEYS, TEST_KEYS};

    #[test]
    fn the_schema_has_the_keys_of_the_reader() {
        let schema: Value = serde_json::from_str(text()).unwrap();
        let keys = |pointer: &str| -> Vec<String> {
            schema.pointer(pointer).unwrap().as_object().unwrap().keys().cloned().collect()
        };
        let words = |pointer: &str| -> Vec<String> {
            let words = schema.pointer(pointer).unwrap().as_array().unwrap();
            words.iter().map(|word| word.as_str().unwrap().to_owned()).collect()
        };
        assert_eq!(keys("/items/properties"), TEST_KEYS);
        assert_eq!(keys("/items/properties/expect/properties"), EXPECT_KEYS);
        assert_eq!(
            words("/items/properties/expect/properties/decision/enum"),
            DecisionWord::ALL.map(DecisionWord::as_str)
        );
        assert_eq!(words("/items/properties/agent/enum"), Agent::ALL.map(Agent::as_str));
        assert_eq!(words("/items/oneOf/0/properties/event/enum"), EventName::ALL.map(EventName::as_str));
    }
}
