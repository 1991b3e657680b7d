//! Single values: text, flags, numbers, times, ids, and JSON of any form.

use std::{borrow::Cow, fmt};

use super::{Wire, Written, field::typed};
use crate::{
    Breach,
    json::{Json, Number, Object},
};

/// A value of the wrong kind, met where the schema should have stopped it.
pub(crate) fn unfit(keyword: &'static str, expected: &str, found: &Json<'_>) -> Breach {
    Breach::new(keyword, format!("expected {expected}, found {}", found.kind()))
}

impl Wire for String {
    fn schema() -> Object<'static> {
        typed("string")
    }

    fn read(json: &Json<'_>) -> Result<Self, Breach> {
        json.as_str().map(str::to_owned).ok_or_else(|| unfit("type", "a string", json))
    }

    fn write(&self) -> Json<'static> {
        Json::String(Cow::Owned(self.clone()))
    }

    fn give(self) -> Json<'static> {
        Json::String(Cow::Owned(self))
    }
}

impl Wire for bool {
    fn schema() -> Object<'static> {
        typed("boolean")
    }

    fn read(json: &Json<'_>) -> Result<Self, Breach> {
        json.as_bool().ok_or_else(|| unfit("type", "a boolean", json))
    }

    fn write(&self) -> Json<'static> {
        Json::Bool(*self)
    }
}

impl Wire for Number<'static> {
    fn schema() -> Object<'static> {
        typed("number")
    }

    fn read(json: &Json<'_>) -> Result<Self, Breach> {
        let number = json.as_number().ok_or_else(|| unfit("type", "a number", json))?;
        Ok(number.clone().into_owned())
    }

    fn write(&self) -> Json<'static> {
        Json::Number(self.clone())
    }
}

/// A whole number of any size, as it was written.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Integer(Number<'static>);

impl Integer {
    /// The value, where 64 bits hold it. `3.0` and `3e0` are whole numbers too.
    #[must_use]
    pub fn as_i64(&self) -> Option<i64> {
        self.0.as_i64()
    }

    /// The value, where 64 bits without a sign hold it.
    #[must_use]
    pub fn as_u64(&self) -> Option<u64> {
        self.0.as_u64()
    }
}

impl From<i64> for Integer {
    fn from(value: i64) -> Self {
        Self(value.into())
    }
}

impl fmt::Display for Integer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl Wire for Integer {
    fn schema() -> Object<'static> {
        typed("integer")
    }

    fn read(json: &Json<'_>) -> Result<Self, Breach> {
        match json.as_number() {
            Some(number) if number.is_integer() => Ok(Self(number.clone().into_owned())),
            Some(_) | None => Err(unfit("type", "an integer", json)),
        }
    }

    fn write(&self) -> Json<'static> {
        Json::Number(self.0.clone())
    }
}

/// Declares text with a format: kept as it was written, checked by the schema.
macro_rules! formatted {
    ($(#[doc = $doc:literal])* $name:ident, $format:literal) => {
        $(#[doc = $doc])*
        #[derive(Clone, Debug, PartialEq, Eq, Hash)]
        pub struct $name(pub String);

        impl $name {
            #[must_use]
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(&self.0)
            }
        }

        impl Wire for $name {
            fn schema() -> Object<'static> {
                let mut schema = typed("string");
                schema.set("format", Json::from($format));
                schema
            }

            fn read(json: &Json<'_>) -> Result<Self, Breach> {
                String::read(json).map(Self)
            }

            fn write(&self) -> Json<'static> {
                self.0.write()
            }
        }
    };
}

formatted! {
    /// An RFC 3339 date-time with the precision and offset that it was written with.
    Timestamp, "date-time"
}
formatted! {
    /// A UUID in its hyphenated form, in the case that it was written in.
    Uuid, "uuid"
}

/// Any value at all.
impl Wire for Json<'static> {
    fn schema() -> Object<'static> {
        Object::new()
    }

    fn read(json: &Json<'_>) -> Result<Self, Breach> {
        Ok(json.to_static())
    }

    fn write(&self) -> Json<'static> {
        self.clone()
    }

    fn find(&self, place: &[&str]) -> Option<&dyn Written> {
        match (place.split_first(), self) {
            (None, _) => Some(self),
            (Some((item, rest)), Json::Array(items)) => {
                items.get(item.parse::<usize>().ok()?)?.find(rest)
            }
            (Some(_), Json::Object(members)) => members.find(place),
            (Some(_), Json::Null | Json::Bool(_) | Json::Number(_) | Json::String(_)) => None,
        }
    }

    fn give(self) -> Json<'static> {
        self
    }
}

/// Any object at all.
impl Wire for Object<'static> {
    fn schema() -> Object<'static> {
        typed("object")
    }

    fn read(json: &Json<'_>) -> Result<Self, Breach> {
        let object = json.as_object().ok_or_else(|| unfit("type", "an object", json))?;
        Ok(object.to_static())
    }

    fn write(&self) -> Json<'static> {
        Json::Object(self.clone())
    }

    fn find(&self, place: &[&str]) -> Option<&dyn Written> {
        match place.split_first() {
            None => Some(self),
            Some((name, rest)) => self.get(name)?.find(rest),
        }
    }

    fn give(self) -> Json<'static> {
        Json::Object(self)
    }
}
