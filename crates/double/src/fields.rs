//! Reads the members of a JSON object one by one, so that a refusal can name the one that is wrong.
//!
//! Values are kept as they were sent: their tokens are counted, and a second writing may differ.

use std::collections::BTreeMap;

use serde::de::DeserializeOwned;
use serde_json::{Value, value::RawValue};

/// An object of a request and where it is.
pub(super) struct Fields<'a> {
    path: String,
    members: BTreeMap<String, &'a RawValue>,
}

/// A member of the wrong type.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Wrong {
    /// `messages[0].content`; empty for the request itself.
    pub(super) path: String,
    /// A JSON type, with its article.
    pub(super) wanted: &'static str,
    pub(super) found: &'static str,
}

impl<'a> Fields<'a> {
    pub(super) fn read(text: &'a str, path: &str) -> Result<Self, Wrong> {
        match serde_json::from_str(text) {
            Ok(members) => Ok(Self { path: path.to_owned(), members }),
            Err(_) => Err(Wrong { path: path.to_owned(), wanted: "an object", found: kind(text) }),
        }
    }

    /// Looks members up under their names in camel case, where both cases are accepted.
    pub(super) fn camel(mut self) -> Self {
        self.members = self
            .members
            .into_iter()
            .map(|(name, value)| (super::google::camel(&name), value))
            .collect();
        self
    }

    /// Where the object is.
    pub(super) fn path(&self) -> &str {
        &self.path
    }

    /// Where a member is.
    pub(super) fn at(&self, name: &str) -> String {
        if self.path.is_empty() { name.to_owned() } else { format!("{}.{name}", self.path) }
    }

    /// The first member that is not `known`.
    pub(super) fn stranger(&self, known: &[&str]) -> Option<&str> {
        self.members.keys().map(String::as_str).find(|name| !known.contains(name))
    }

    /// A member as it was sent. `null` counts as missing.
    pub(super) fn raw(&self, name: &str) -> Option<&'a str> {
        self.members.get(name).map(|raw| raw.get()).filter(|raw| *raw != "null")
    }

    pub(super) fn has(&self, name: &str) -> bool {
        self.raw(name).is_some()
    }

    pub(super) fn text(&self, name: &str) -> Result<Option<String>, Wrong> {
        self.typed(name, "a string")
    }

    pub(super) fn flag(&self, name: &str) -> Result<Option<bool>, Wrong> {
        self.typed(name, "a boolean")
    }

    pub(super) fn count(&self, name: &str) -> Result<Option<u64>, Wrong> {
        self.typed(name, "an integer")
    }

    pub(super) fn number(&self, name: &str) -> Result<Option<f64>, Wrong> {
        self.typed(name, "a number")
    }

    pub(super) fn value(&self, name: &str) -> Result<Option<Value>, Wrong> {
        self.typed(name, "a value of reasonable depth")
    }

    pub(super) fn object(&self, name: &str) -> Result<Option<Fields<'a>>, Wrong> {
        self.raw(name).map(|raw| Fields::read(raw, &self.at(name))).transpose()
    }

    /// The values of an array, with where each is.
    pub(super) fn list(&self, name: &str) -> Result<Option<Vec<(String, &'a str)>>, Wrong> {
        let Some(raw) = self.raw(name) else { return Ok(None) };
        let path = self.at(name);
        let values: Vec<&'a RawValue> = serde_json::from_str(raw).map_err(|_| Wrong {
            path: path.clone(),
            wanted: "an array",
            found: kind(raw),
        })?;
        let place = |(at, value): (usize, &'a RawValue)| (format!("{path}[{at}]"), value.get());
        Ok(Some(values.into_iter().enumerate().map(place).collect()))
    }

    /// The objects of an array.
    pub(super) fn objects(&self, name: &str) -> Result<Option<Vec<Fields<'a>>>, Wrong> {
        let Some(values) = self.list(name)? else { return Ok(None) };
        values
            .into_iter()
            .map(|(path, raw)| Fields::read(raw, &path))
            .collect::<Result<_, _>>()
            .map(Some)
    }

    fn typed<T: DeserializeOwned>(
        &self,
        name: &str,
        wanted: &'static str,
    ) -> Result<Option<T>, Wrong> {
        let Some(raw) = self.raw(name) else { return Ok(None) };
        let wrong = |_| Wrong { path: self.at(name), wanted, found: kind(raw) };
        serde_json::from_str(raw).map(Some).map_err(wrong)
    }
}

/// A string, if that is what a value is.
pub(super) fn string(raw: &str) -> Option<String> {
    serde_json::from_str(raw).ok()
}

fn kind(raw: &str) -> &'static str {
    match raw.trim_start().bytes().next() {
        Some(b'{') => "an object",
        Some(b'[') => "an array",
        Some(b'"') => "a string",
        Some(b't' | b'f') => "a boolean",
        Some(b'n') => "null",
        Some(_) => "a number",
        None => "nothing",
    }
}
