//! Lets the `jsonschema` validator walk our [`Json`] directly, without a copy of the document.

use std::{borrow::Cow, collections::HashSet};

use jsonschema::{
    JsonType,
    json::{self, JsonNumber, NodeIdentity},
};
use serde_json::Value;

use super::budget;
use crate::json::{Canonical, Json, Number, Object};

/// The marker that selects [`Json`] as a validator's representation.
pub(crate) struct Ours;

impl json::Json for Ours {
    type Node<'a> = &'a Json<'a>;
    type PreparedKey = String;
    type StringBuffer = ();

    // Our lookup is a scan, so one pass over the members is cheaper than several lookups.
    const KEYS_PER_LOOKUP: usize = 8;

    fn prepare_key(key: &str) -> String {
        key.to_owned()
    }

    fn with_string_node<T>((): &mut (), string: &str, f: impl FnOnce(Self::Node<'_>) -> T) -> T {
        f(&Json::String(Cow::Borrowed(string)))
    }
}

impl<'a> json::Node<'a, Ours> for &'a Json<'a> {
    type Object = &'a Object<'a>;
    type Array = &'a [Json<'a>];
    type Number = &'a Number<'a>;

    fn as_object(&self) -> Option<&'a Object<'a>> {
        Json::as_object(self)
    }

    fn as_array(&self) -> Option<&'a [Json<'a>]> {
        Json::as_array(self)
    }

    fn as_string(&self) -> Option<Cow<'a, str>> {
        Json::as_str(self).map(Cow::Borrowed)
    }

    fn as_number(&self) -> Option<&'a Number<'a>> {
        Json::as_number(self)
    }

    fn as_boolean(&self) -> Option<bool> {
        Json::as_bool(self)
    }

    fn is_null(&self) -> bool {
        matches!(self, Json::Null)
    }

    fn json_type(&self) -> JsonType {
        match self {
            Json::Null => JsonType::Null,
            Json::Bool(_) => JsonType::Boolean,
            Json::Number(_) => JsonType::Number,
            Json::String(_) => JsonType::String,
            Json::Array(_) => JsonType::Array,
            Json::Object(_) => JsonType::Object,
        }
    }

    fn equals_value(&self, expected: &Value) -> bool {
        equal(self, expected)
    }

    /// Only errors ask for this, and our breaches describe the value themselves. A whole copy would
    /// let a document that breaks many rules cost its size for each of them, so it stays shallow.
    fn to_value(&self) -> Cow<'a, Value> {
        budget::spend();
        Cow::Owned(match self {
            Json::Array(_) => Value::Array(Vec::new()),
            Json::Object(_) => Value::Object(serde_json::Map::new()),
            Json::String(text) => Value::String(text.chars().take(100).collect()),
            Json::Null | Json::Bool(_) | Json::Number(_) => self.to_serde(),
        })
    }

    fn identity(&self) -> Option<NodeIdentity> {
        Some(NodeIdentity::new(std::ptr::from_ref::<Json<'a>>(self) as usize))
    }
}

impl<'a> json::Object<'a, Ours> for &'a Object<'a> {
    type Node = &'a Json<'a>;
    type MemberName = &'a str;
    type MembersIter = Members<'a>;

    fn len(&self) -> usize {
        Object::len(self)
    }

    fn get(&self, key: &String) -> Option<&'a Json<'a>> {
        Object::get(self, key)
    }

    fn members(&self) -> Members<'a> {
        Members(Object::members(self))
    }
}

pub(crate) struct Members<'a>(std::slice::Iter<'a, (Cow<'a, str>, Json<'a>)>);

impl<'a> Iterator for Members<'a> {
    type Item = (&'a str, &'a Json<'a>);

    fn next(&mut self) -> Option<Self::Item> {
        if budget::is_spent() {
            return None;
        }
        self.0.next().map(|(key, value)| (key.as_ref(), value))
    }
}

pub(crate) struct Elements<'a>(std::slice::Iter<'a, Json<'a>>);

impl<'a> Iterator for Elements<'a> {
    type Item = &'a Json<'a>;

    fn next(&mut self) -> Option<Self::Item> {
        if budget::is_spent() {
            return None;
        }
        self.0.next()
    }
}

impl<'a> json::Array<'a, Ours> for &'a [Json<'a>] {
    type Node = &'a Json<'a>;
    type ElementsIter = Elements<'a>;

    fn len(&self) -> usize {
        <[Json<'a>]>::len(self)
    }

    fn elements(&self) -> Elements<'a> {
        Elements(self.iter())
    }

    fn is_unique(&self) -> bool {
        let mut seen = HashSet::with_capacity(self.len());
        self.iter().all(|item| seen.insert(Comparable::of(item)))
    }
}

/// A value by which equal items are found: numbers by value, members in order of their keys.
#[derive(PartialEq, Eq, Hash)]
enum Comparable<'a> {
    Null,
    Bool(bool),
    Number(Canonical<'a>),
    String(&'a str),
    Array(Vec<Comparable<'a>>),
    Object(Vec<(&'a str, Comparable<'a>)>),
}

impl<'a> Comparable<'a> {
    fn of(json: &'a Json<'_>) -> Self {
        match json {
            Json::Null => Self::Null,
            Json::Bool(value) => Self::Bool(*value),
            Json::Number(number) => Self::Number(number.canonical()),
            Json::String(text) => Self::String(text),
            Json::Array(items) => Self::Array(items.iter().map(Self::of).collect()),
            Json::Object(object) => {
                let members = object.iter().map(|(key, value)| (key, Self::of(value)));
                let mut members: Vec<_> = members.collect();
                members.sort_unstable_by_key(|(key, _)| *key);
                Self::Object(members)
            }
        }
    }
}

impl JsonNumber for &Number<'_> {
    fn as_u64(&self) -> Option<u64> {
        Number::as_u64(self)
    }

    fn as_i64(&self) -> Option<i64> {
        Number::as_i64(self)
    }

    fn as_f64(&self) -> Option<f64> {
        Some(self.as_f64_beside())
    }

    fn as_str(&self) -> Cow<'_, str> {
        Cow::Borrowed(Number::as_str(self))
    }

    fn to_number(&self) -> Cow<'_, serde_json::Number> {
        Cow::Owned(self.to_serde())
    }

    fn is_integer(&self) -> bool {
        Number::is_integer(self)
    }
}

/// Equality as `const` and `enum` mean it: by value, `1` being `1.0`.
fn equal(ours: &Json<'_>, expected: &Value) -> bool {
    match (ours, expected) {
        (Json::Null, Value::Null) => true,
        (Json::Bool(a), Value::Bool(b)) => a == b,
        (Json::Number(a), Value::Number(b)) => a.canonical() == Number::from(b).canonical(),
        (Json::String(a), Value::String(b)) => a == b,
        (Json::Array(a), Value::Array(b)) => {
            a.len() == b.len() && a.iter().zip(b).all(|(a, b)| equal(a, b))
        }
        (Json::Object(a), Value::Object(b)) => {
            a.len() == b.len()
                && a.iter().all(|(key, a)| b.get(key).is_some_and(|expected| equal(a, expected)))
        }
        _ => false,
    }
}
