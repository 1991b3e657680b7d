//! JSON that the engine carries and does not read.

use std::{fmt, sync::Arc};

use consign_contracts::json::{self, Json, Malformed};
use serde::{Deserialize, Deserializer, Serialize, Serializer, de::DeserializeOwned};
use serde_json::value::{RawValue, to_raw_value};

/// JSON text, checked when it came in and kept as it was written: numbers keep their digits, objects
/// their order.
#[derive(Clone)]
pub struct Data(Arc<RawValue>);

impl Data {
    /// Takes text from outside.
    pub fn parse(text: impl Into<String>) -> Result<Self, Malformed> {
        let text = text.into();
        json::parse(text.as_bytes())?;
        Ok(RawValue::from_string(text).map_or_else(|_| Self::null(), |raw| Self(raw.into())))
    }

    /// Takes text that was `Data` before, as a store does. `None` if it is not even JSON.
    #[must_use]
    pub fn restore(text: String) -> Option<Self> {
        RawValue::from_string(text).ok().map(|raw| Self(raw.into()))
    }

    /// Writes a value of ours.
    #[must_use]
    pub fn of<T: Serialize + ?Sized>(value: &T) -> Self {
        Self(to_raw_value(value).expect("our own types have text for keys").into())
    }

    #[must_use]
    pub fn null() -> Self {
        Self(RawValue::NULL.to_owned().into())
    }

    /// Reads it as a type of ours.
    pub fn to<T: DeserializeOwned>(&self) -> Result<T, serde_json::Error> {
        serde_json::from_str(self.as_str())
    }

    /// As a tree to validate or to look into.
    #[must_use]
    pub fn tree(&self) -> Json<'_> {
        json::parse(self.as_str().as_bytes()).unwrap_or(Json::Null)
    }

    #[must_use]
    pub fn as_str(&self) -> &str {
        self.0.get()
    }
}

impl From<&Json<'_>> for Data {
    fn from(tree: &Json<'_>) -> Self {
        Self::restore(tree.to_string()).unwrap_or_else(Self::null)
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
