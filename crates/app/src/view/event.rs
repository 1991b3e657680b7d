//! An entry of a journal as JSON.

use std::borrow::Cow;

use consign_contracts::json::Json;
use consign_engine::{
    Data,
    journal::{Content, Record},
};

use super::scalar::{at, number, object, text};

/// An event as one line of JSON. What follows `"body":` is the text that the hash covers, byte for byte, so
/// that any reader can check it.
#[must_use]
pub fn event(record: &Record) -> String {
    let (body, salt) = match &record.content {
        Content::Kept(body, salt) => (verbatim(body), text(salt)),
        Content::Redacted(_) => (Cow::Borrowed("null"), Json::Null),
    };
    let before = Json::Object(object([
        ("seq", number(record.seq.0)),
        ("at", at(record.at)),
        ("actor", text(&record.actor)),
        ("kind", text(&record.kind)),
    ]));
    let after = Json::Object(object([
        ("salt", salt),
        ("prev", record.prev.map_or(Json::Null, text)),
        ("hash", text(record.hash)),
    ]));
    let (before, after) = (before.to_string(), after.to_string());
    format!("{},\"body\":{body},{}", before.trim_end_matches('}'), after.trim_start_matches('{'))
}

/// The text as it is kept, unless it would break our line.
fn verbatim(body: &Data) -> Cow<'_, str> {
    let text = body.as_str();
    match text.contains(char::is_control) {
        false => Cow::Borrowed(text),
        true => Cow::Owned(body.shown().to_string()),
    }
}
