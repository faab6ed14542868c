use std::collections::BTreeMap;

use proptest::prelude::*;
use serde_json::{Value, json};

use super::*;

fn written(value: &impl Serialize) -> Result<String, Error> {
    let mut bytes = Vec::new();
    write(&mut bytes, value)?;
    Ok(String::from_utf8(bytes).unwrap())
}

fn check(value: &impl Serialize) {
    assert_eq!(written(value).unwrap(), serde_json::to_string(value).unwrap());
}

#[test]
fn every_kind_of_value_is_written_as_by_serde_json() {
    #[derive(Serialize)]
    enum Variant {
        Unit,
        Newtype(u8),
        Tuple(i64, Option<f32>),
        Struct { a: (), b: char },
    }
    #[derive(Serialize)]
    struct Pair(i8, u128);
    #[derive(Serialize)]
    struct Empty;
    #[derive(Serialize)]
    struct All<'a> {
        variants: Vec<Variant>,
        pair: Pair,
        empty: Empty,
        bytes: &'a [u8],
        floats: [f64; 4],
        #[serde(flatten)]
        more: BTreeMap<String, Value>,
        numbers: BTreeMap<i32, bool>,
        flags: BTreeMap<bool, u8>,
    }
    check(&All {
        variants: vec![
            Variant::Unit,
            Variant::Newtype(7),
            Variant::Tuple(-1, None),
            Variant::Tuple(0, Some(0.1)),
            Variant::Struct { a: (), b: '"' },
        ],
        pair: Pair(-5, u128::MAX),
        empty: Empty,
        bytes: b"ab",
        floats: [1.0, -0.5e300, f64::NAN, 1e21],
        more: [("a \" key".to_owned(), json!([[], {}, null, true, 1.5, -3, "x\ny"]))].into(),
        numbers: [(-1, true), (2, false)].into(),
        flags: [(true, 1)].into(),
    });
    check(&json!(null));
    check(&json!("plain"));
}

#[test]
fn what_cannot_be_a_key_is_refused() {
    assert!(written(&BTreeMap::from([(vec![1], 2)])).is_err());
    assert!(written(&BTreeMap::from([(Some(()), 2)])).is_err());
}

#[test]
fn every_byte_is_escaped_as_by_serde_json_wherever_it_stands() {
    let all: String = (0..=0x180_u32).filter_map(char::from_u32).collect();
    check(&all);
    for character in all.chars() {
        for place in 0..10 {
            check(&format!("{}{character}{character}é\x7fx", "a".repeat(place)));
        }
    }
    for length in [BLOCK - 9, BLOCK - 1, BLOCK, BLOCK + 1, 3 * BLOCK] {
        check(&"a\"".repeat(length));
        check(&"\u{1}".repeat(length));
        check(&vec!["b"; length]);
    }
}

proptest! {
    #[test]
    fn any_text_is_written_as_by_serde_json(texts in prop::collection::vec(".*|[\"\\\\\n a]{0,80}", 0..8)) {
        check(&texts);
    }
}
