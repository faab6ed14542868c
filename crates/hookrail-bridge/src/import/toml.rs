//! TOML as JSON. Dates, for which JSON has no type, become texts.

use serde_json::Value;
use toml_edit::{Item, TableLike, Value as Toml};

use super::ImportError;

/// The document as a JSON value.
pub(super) fn to_value(text: &str) -> Result<Value, ImportError> {
    let document = crate::connect::toml::parse(text)?;
    Ok(table(document.as_table()))
}

fn table(table: &dyn TableLike) -> Value {
    table.iter().map(|(key, value)| (key.to_owned(), item(value))).collect::<serde_json::Map<_, _>>().into()
}

fn item(value: &Item) -> Value {
    match value {
        Item::None => Value::Null,
        Item::Value(inner) => plain(inner),
        Item::Table(inner) => table(inner),
        Item::ArrayOfTables(tables) => Value::Array(tables.iter().map(|inner| table(inner)).collect()),
    }
}

fn plain(value: &Toml) -> Value {
    match value {
        Toml::String(text) => text.value().as_str().into(),
        Toml::Integer(number) => (*number.value()).into(),
        Toml::Float(number) => (*number.value()).into(),
        Toml::Boolean(boolean) => (*boolean.value()).into(),
        Toml::Datetime(time) => time.value().to_string().into(),
        Toml::Array(values) => Value::Array(values.iter().map(plain).collect()),
        Toml::InlineTable(inner) => table(inner),
    }
}
