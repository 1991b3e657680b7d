//! Helpers to build and read JSON objects.
//!
//! [`object!`] keeps the order in which members are written, so that an output reads like its page
//! in the spec. Nothing here knows a contract.

use std::borrow::Cow;

use consign_contracts::json::{Json, Number, Object};

/// A value that can be a member in [`object!`].
pub(crate) trait IntoJson {
    fn into_json(self) -> Json<'static>;
}

impl IntoJson for Json<'static> {
    fn into_json(self) -> Json<'static> {
        self
    }
}

impl IntoJson for Object<'static> {
    fn into_json(self) -> Json<'static> {
        Json::Object(self)
    }
}

impl IntoJson for String {
    fn into_json(self) -> Json<'static> {
        Json::String(Cow::Owned(self))
    }
}

impl IntoJson for &str {
    fn into_json(self) -> Json<'static> {
        Json::String(Cow::Owned(self.to_owned()))
    }
}

impl IntoJson for &String {
    fn into_json(self) -> Json<'static> {
        self.as_str().into_json()
    }
}

impl IntoJson for bool {
    fn into_json(self) -> Json<'static> {
        Json::Bool(self)
    }
}

impl IntoJson for usize {
    fn into_json(self) -> Json<'static> {
        Json::Number(Number::from(self as u64))
    }
}

impl IntoJson for u64 {
    fn into_json(self) -> Json<'static> {
        Json::Number(Number::from(self))
    }
}

impl IntoJson for u32 {
    fn into_json(self) -> Json<'static> {
        Json::Number(Number::from(u64::from(self)))
    }
}

/// Rounds to two decimals: the agents' confidences are not more precise than that.
impl IntoJson for f64 {
    fn into_json(self) -> Json<'static> {
        let rounded = (self * 100.0).round() / 100.0;
        Number::try_from(rounded).map_or(Json::Null, Json::Number)
    }
}

impl IntoJson for &f64 {
    fn into_json(self) -> Json<'static> {
        (*self).into_json()
    }
}

impl<T: IntoJson> IntoJson for Option<T> {
    fn into_json(self) -> Json<'static> {
        self.map_or(Json::Null, IntoJson::into_json)
    }
}

impl<T: IntoJson> IntoJson for Vec<T> {
    fn into_json(self) -> Json<'static> {
        Json::Array(self.into_iter().map(IntoJson::into_json).collect())
    }
}

impl<T: Clone + IntoJson> IntoJson for &[T] {
    fn into_json(self) -> Json<'static> {
        Json::Array(self.iter().cloned().map(IntoJson::into_json).collect())
    }
}

macro_rules! object {
    ($($key:literal: $value:expr),* $(,)?) => {{
        #[allow(unused_mut, reason = "an empty object is never changed")]
        let mut object = consign_contracts::json::Object::new();
        $(object.set($key, $crate::json::IntoJson::into_json($value));)*
        object
    }};
}
pub(crate) use object;

/// The text of a member, if it is a string.
pub(crate) fn text<'o>(object: &'o Object<'_>, key: &str) -> Option<&'o str> {
    object.get(key).and_then(Json::as_str)
}

/// The texts of a member that is a list; what is no text is left out.
pub(crate) fn texts(object: &Object<'_>, key: &str) -> Vec<String> {
    list(object, key).iter().filter_map(|item| item.as_str().map(str::to_owned)).collect()
}

/// The items of a member that is a list.
pub(crate) fn list<'o, 'j>(object: &'o Object<'j>, key: &str) -> &'o [Json<'j>] {
    object.get(key).and_then(Json::as_array).unwrap_or_default()
}

/// The objects of a member that is a list; what is no object is left out.
pub(crate) fn objects<'o, 'j>(
    object: &'o Object<'j>,
    key: &str,
) -> impl Iterator<Item = &'o Object<'j>> {
    list(object, key).iter().filter_map(Json::as_object)
}

/// The whole number of a member.
pub(crate) fn whole(object: &Object<'_>, key: &str) -> Option<u64> {
    object.get(key).and_then(Json::as_number).and_then(Number::as_u64)
}

/// Whether a member is `true`.
pub(crate) fn is_true(object: &Object<'_>, key: &str) -> bool {
    object.get(key).and_then(Json::as_bool).unwrap_or(false)
}
