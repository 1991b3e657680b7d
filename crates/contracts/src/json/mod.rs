//! JSON without loss: digits, order and spelling survive reading and writing.
//!
//! [`parse`] reads bytes into a [`Json`] tree that borrows from them. Numbers stay the text they
//! were, members stay in the order they came, and a duplicate key, broken UTF-8, too deep a nesting
//! or too large a document is refused with a [`Malformed`] that says which and where. Writing a
//! tree back gives the same document, digit for digit.
//!
//! Nothing here knows a schema; [`crate::schema`] does.

mod malformed;
mod number;
mod object;
mod pointer;
mod read;
mod write;

use std::borrow::Cow;

pub use malformed::{Malformed, Reason};
pub use number::{NotANumber, Number};
pub use object::Object;
pub use read::{Limits, parse, parse_within};

/// A JSON value, borrowed from the bytes it was read from where that is possible.
///
/// Two values are equal when they hold the same members (in any order) and the same digits.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Json<'a> {
    #[default]
    Null,
    Bool(bool),
    Number(Number<'a>),
    String(Cow<'a, str>),
    Array(Vec<Json<'a>>),
    Object(Object<'a>),
}

impl<'a> Json<'a> {
    /// What kind of value this is, in JSON Schema's words.
    #[must_use]
    pub fn kind(&self) -> &'static str {
        match self {
            Json::Null => "null",
            Json::Bool(_) => "boolean",
            Json::Number(number) if number.is_integer() => "integer",
            Json::Number(_) => "number",
            Json::String(_) => "string",
            Json::Array(_) => "array",
            Json::Object(_) => "object",
        }
    }

    #[must_use]
    pub fn as_str(&self) -> Option<&str> {
        if let Json::String(text) = self { Some(text) } else { None }
    }

    #[must_use]
    pub fn as_bool(&self) -> Option<bool> {
        if let Json::Bool(value) = self { Some(*value) } else { None }
    }

    #[must_use]
    pub fn as_number(&self) -> Option<&Number<'a>> {
        if let Json::Number(number) = self { Some(number) } else { None }
    }

    #[must_use]
    pub fn as_array(&self) -> Option<&[Json<'a>]> {
        if let Json::Array(items) = self { Some(items) } else { None }
    }

    #[must_use]
    pub fn as_object(&self) -> Option<&Object<'a>> {
        if let Json::Object(object) = self { Some(object) } else { None }
    }

    /// The member `key`, if this is an object that has it.
    #[must_use]
    pub fn get(&self, key: &str) -> Option<&Json<'a>> {
        self.as_object()?.get(key)
    }

    /// This value, without borrowing from the bytes that it was read from.
    #[must_use]
    pub fn into_owned(self) -> Json<'static> {
        match self {
            Json::Null => Json::Null,
            Json::Bool(value) => Json::Bool(value),
            Json::Number(number) => Json::Number(number.into_owned()),
            Json::String(text) => Json::String(Cow::Owned(text.into_owned())),
            Json::Array(items) => Json::Array(items.into_iter().map(Json::into_owned).collect()),
            Json::Object(object) => Json::Object(object.into_owned()),
        }
    }

    /// A copy that is free of the bytes that this was read from.
    #[must_use]
    pub fn to_static(&self) -> Json<'static> {
        match self {
            Json::Null => Json::Null,
            Json::Bool(value) => Json::Bool(*value),
            Json::Number(number) => Json::Number(number.clone().into_owned()),
            Json::String(text) => Json::String(Cow::Owned(text.as_ref().to_owned())),
            Json::Array(items) => Json::Array(items.iter().map(Json::to_static).collect()),
            Json::Object(object) => Json::Object(object.to_static()),
        }
    }

    /// This value with the members of every object in the order of their names: equal values are the same
    /// text then, so that a digest of it does not depend on who wrote it.
    #[must_use]
    pub fn sorted(self) -> Self {
        match self {
            Json::Array(items) => Json::Array(items.into_iter().map(Json::sorted).collect()),
            Json::Object(object) => Json::Object(object.sorted()),
            scalar @ (Json::Null | Json::Bool(_) | Json::Number(_) | Json::String(_)) => scalar,
        }
    }

    /// This value for `serde_json`. Digits that an `f64` cannot hold are lost there.
    #[must_use]
    pub fn to_serde(&self) -> serde_json::Value {
        match self {
            Json::Null => serde_json::Value::Null,
            Json::Bool(value) => serde_json::Value::Bool(*value),
            Json::Number(number) => number.to_serde().into(),
            Json::String(text) => serde_json::Value::String(text.to_string()),
            Json::Array(items) => items.iter().map(Json::to_serde).collect(),
            Json::Object(object) => {
                object.iter().map(|(key, value)| (key.to_owned(), value.to_serde())).collect()
            }
        }
    }
}

impl From<&serde_json::Value> for Json<'static> {
    fn from(value: &serde_json::Value) -> Self {
        match value {
            serde_json::Value::Null => Json::Null,
            serde_json::Value::Bool(value) => Json::Bool(*value),
            serde_json::Value::Number(number) => Json::Number(number.into()),
            serde_json::Value::String(text) => Json::String(Cow::Owned(text.clone())),
            serde_json::Value::Array(items) => Json::Array(items.iter().map(Json::from).collect()),
            serde_json::Value::Object(map) => Json::Object(
                map.iter()
                    .map(|(key, value)| (Cow::Owned(key.clone()), Json::from(value)))
                    .collect(),
            ),
        }
    }
}

impl<'a> From<&'a str> for Json<'a> {
    fn from(text: &'a str) -> Self {
        Json::String(Cow::Borrowed(text))
    }
}

pub(crate) use number::Canonical;
pub(crate) use write::quoted;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_documents_are_the_same_text_once_they_are_sorted() {
        let read = |text: &'static str| parse(text.as_bytes()).expect("a test writes JSON");
        let one = read(r#"{"b": [{"z": 1.0, "a": null}, 2], "a": {"d": "x", "c": {}}}"#);
        let other = read(r#"{"a": {"c": {}, "d": "x"}, "b": [{"a": null, "z": 1.0}, 2]}"#);
        assert_eq!(one, other);
        assert_eq!(one.sorted().to_string(), other.clone().sorted().to_string());
        assert_eq!(other.to_string(), r#"{"a":{"c":{},"d":"x"},"b":[{"a":null,"z":1.0},2]}"#);
    }

    #[test]
    fn what_passes_through_serde_keeps_its_order() {
        let text = r#"{"b":1,"a":{"d":2,"c":3}}"#;
        let read = parse(text.as_bytes()).expect("a test writes JSON");
        assert_eq!(read.to_serde().to_string(), text, "serde_json has `preserve_order`");
        assert_eq!(Json::from(&read.to_serde()).to_string(), text);
    }
}
