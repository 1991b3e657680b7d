//! JSON that the engine carries and does not read.

use std::{fmt, sync::Arc};

use consign_contracts::json::{self, Json, Malformed};
use serde::{Deserialize, Deserializer, Serialize, Serializer, de::DeserializeOwned};
use serde_json::value::{RawValue, to_raw_value};

use crate::Fault;

/// JSON text, checked when it came in and kept as it was written: numbers keep their digits, objects
/// their order. Only its layout goes: it is always one line without control characters, so that what
/// the journal's hashes cover can be printed as it is.
#[derive(Clone)]
pub struct Data(Arc<RawValue>);

/// The limits for JSON that was accepted before: no bound on its size.
const OURS: json::Limits = json::Limits { bytes: usize::MAX, depth: 256 };

impl Data {
    /// Takes text from outside.
    pub fn parse(text: impl Into<String>) -> Result<Self, Malformed> {
        let text = text.into();
        json::parse(text.as_bytes())?;
        Ok(Self::restore(one_line(text)).unwrap_or_else(Self::null))
    }

    /// Takes text that was `Data` before, as a store does. `None` if it is not even JSON.
    #[must_use]
    pub fn restore(text: String) -> Option<Self> {
        RawValue::from_string(text).ok().map(|raw| Self(raw.into()))
    }

    /// Serializes a value.
    #[must_use]
    pub fn of<T: Serialize + ?Sized>(value: &T) -> Self {
        let raw = to_raw_value(value).expect("our own types have text for keys");
        if is_one_line(raw.get()) {
            return Self(raw.into());
        }
        Self::restore(one_line(raw.get().to_owned())).unwrap_or_else(Self::null)
    }

    #[must_use]
    pub fn null() -> Self {
        Self(RawValue::NULL.to_owned().into())
    }

    /// Deserializes it.
    pub fn to<T: DeserializeOwned>(&self) -> Result<T, serde_json::Error> {
        serde_json::from_str(self.as_str())
    }

    /// As a tree to validate or to decide by. What was let in once is read again whatever it has grown to:
    /// bounds are for the border, and what we put around a value makes it larger and deeper.
    ///
    /// Fails for what was never let in: a store that was damaged or written by another program may hold JSON that
    /// our reader refuses, with a duplicate key for one.
    pub fn tree(&self) -> Result<Json<'_>, Unreadable> {
        json::parse_within(self.as_str().as_bytes(), OURS).map_err(Unreadable)
    }

    /// As a tree to show to people. What cannot be read is shown as the text that it is, never left out.
    #[must_use]
    pub fn shown(&self) -> Json<'_> {
        self.tree().unwrap_or_else(|_| Json::String(self.as_str().into()))
    }

    #[must_use]
    pub fn as_str(&self) -> &str {
        self.0.get()
    }
}

/// Stored JSON that the reader refuses.
#[derive(Clone, Debug, thiserror::Error)]
#[error("the value cannot be read: {0}")]
pub struct Unreadable(Malformed);

impl From<Unreadable> for Fault {
    fn from(unreadable: Unreadable) -> Self {
        Self::permanent("DATA_UNREADABLE", unreadable.to_string())
    }
}

impl From<&Json<'_>> for Data {
    fn from(tree: &Json<'_>) -> Self {
        Self::restore(one_line(tree.text())).unwrap_or_else(Self::null)
    }
}

impl PartialEq for Data {
    fn eq(&self, other: &Self) -> bool {
        self.as_str() == other.as_str()
    }
}

impl Eq for Data {}

impl fmt::Debug for Data {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl Serialize for Data {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        self.0.serialize(to)
    }
}

impl<'de> Deserialize<'de> for Data {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        Box::<RawValue>::deserialize(from).map(|raw| Self(raw.into()))
    }
}

fn is_one_line(text: &str) -> bool {
    let mut before = 0;
    text.bytes().all(|byte| {
        let control = byte < b' ' || byte == 0x7f || before == 0xc2 && (0x80..0xa0).contains(&byte);
        before = byte;
        !control
    })
}

/// Lays JSON out on one line. Below the space JSON allows control characters only between values,
/// where they mean nothing; above it only inside of strings, where they can be escaped.
fn one_line(text: String) -> String {
    if is_one_line(&text) {
        return text;
    }
    let mut line = String::with_capacity(text.len() + 16);
    for letter in text.chars() {
        match letter {
            '\u{0}'..='\u{1f}' => {}
            '\u{7f}'..='\u{9f}' => line.push_str(&format!("\\u{:04x}", u32::from(letter))),
            _ => line.push(letter),
        }
    }
    line
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn data_is_one_line_and_means_the_same() {
        let check = |text: &str, kept: &str| {
            let data = Data::parse(text).unwrap();
            assert_eq!(data.as_str(), kept);
            assert_eq!(data.tree().unwrap(), json::parse(text.as_bytes()).unwrap());
        };
        check("{\n\t\"b\": 1.10,\r\n \"a\": [1e400]\n}", r#"{"b": 1.10, "a": [1e400]}"#);
        check("\"\u{7f}\u{9b}31m é\"", r#""\u007f\u009b31m é""#);
        check(r#""line\nbreak""#, r#""line\nbreak""#);
        assert_eq!(Data::of("\u{9b}\n").as_str(), r#""\u009b\n""#);
    }

    #[test]
    fn what_cannot_be_read_is_never_taken_for_nothing() {
        let twice = Data::restore(r#"{"yes": true, "yes": false}"#.to_owned()).unwrap();
        assert!(twice.tree().is_err());
        assert_eq!(Fault::from(twice.tree().unwrap_err()).code, "DATA_UNREADABLE");
        assert_eq!(twice.shown(), Json::String(r#"{"yes": true, "yes": false}"#.into()));
    }

    #[test]
    fn what_was_let_in_can_be_read_when_it_has_grown() {
        let deep = Data::parse(format!("{}{}", "[".repeat(128), "]".repeat(128))).unwrap();
        let around = Data::of(&[[&deep]]);
        assert_eq!(
            around.tree().unwrap(),
            Json::Array(vec![Json::Array(vec![deep.tree().unwrap()])])
        );
        let large = Data::parse(format!("\"{}\"", "x".repeat(15 << 20))).unwrap();
        let two = Data::of(&[&large, &large]);
        assert_eq!(two.tree().unwrap().as_array().map(<[_]>::len), Some(2));
    }
}
