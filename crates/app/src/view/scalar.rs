//! Engine values (instants, money, data) as JSON.

use std::borrow::Cow;

use consign_contracts::json::{Json, Object};
use consign_engine::{At, Data, Nanos};

/// An object of these members, in their order.
#[must_use]
pub fn object<'a, const N: usize>(members: [(&'static str, Json<'a>); N]) -> Object<'a> {
    members.into_iter().map(|(key, value)| (Cow::Borrowed(key), value)).collect()
}

#[must_use]
pub fn data(data: &Data) -> Json<'static> {
    data.shown().into_owned()
}

#[must_use]
pub fn text(value: impl ToString) -> Json<'static> {
    Json::String(value.to_string().into())
}

#[must_use]
pub fn number(value: u64) -> Json<'static> {
    Json::Number(value.into())
}

#[must_use]
pub fn at(at: At) -> Json<'static> {
    text(at)
}

/// Dollars to the last nano: what is written is a decimal number already.
#[must_use]
pub fn usd(nanos: Nanos) -> Json<'static> {
    nanos.to_string().parse().map_or(Json::Null, Json::Number)
}

pub(super) fn minutes(seconds: f64) -> Json<'static> {
    (seconds / 60.0).try_into().map_or(Json::Null, Json::Number)
}
