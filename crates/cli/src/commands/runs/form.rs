//! Runs, events and interactions as JSON, in the form of contracts `engine/run`, `engine/event` and
//! `engine/interaction`.

use std::borrow::Cow;

use consign_contracts::json::{Json, Object};
use consign_engine::{
    At, BoundedBy, Certificate, Data, Fault, Limits, Nanos, Usage,
    journal::{Content, Record},
    store::{Interaction, Row},
};

use crate::output::object;

/// A run as lists show it.
pub(crate) fn run(row: &Row) -> Object<'static> {
    let figures = &row.figures;
    object([
        ("id", text(&row.id)),
        ("workflow", text(&row.workflow)),
        ("version", number(row.version.into())),
        ("status", Json::from(row.status.as_str())),
        ("owner", text(&row.owner)),
        ("placement", text(&row.placement)),
        ("priority", Json::Number(i64::from(row.priority).into())),
        ("seq", number(row.seq.0)),
        ("head", text(row.head)),
        (
            "usage",
            Json::Object(object([
                ("spent_usd", usd(figures.spent)),
                ("reserved_usd", usd(figures.reserved)),
                ("cap_usd", figures.cap.map_or(Json::Null, usd)),
            ])),
        ),
        ("created_at", at(row.created_at)),
        ("updated_at", at(row.at)),
        ("worker", row.worker.as_ref().map_or(Json::Null, text)),
        ("wake_at", row.wake_at.map_or(Json::Null, at)),
    ])
}

/// An entry of the inbox.
pub(crate) fn interaction(ask: &Interaction) -> Object<'static> {
    let mut entry = object([
        ("run", text(&ask.run)),
        ("interaction", text(&ask.key)),
        ("kind", Json::from(ask.kind.as_str())),
        ("prompt", text(&ask.prompt)),
        ("schema", data(&ask.schema)),
        ("deadline", ask.deadline.map_or(Json::Null, at)),
        ("opened_at", at(ask.opened_at)),
    ]);
    if let Some(code) = &ask.code {
        entry.set("code", text(code));
    }
    if let Some(agent) = &ask.agent {
        entry.set("agent", text(agent));
    }
    if let Some(default) = &ask.default {
        entry.set("default", data(default));
    }
    entry
}

/// An entry of a journal, on a line. What follows `"body":` is the text that the hash covers, byte
/// for byte, so that anybody can check it.
pub(crate) fn event(record: &Record) -> String {
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

/// The text as it is kept; unless it would break our line, or speak to a terminal.
fn verbatim(body: &Data) -> Cow<'_, str> {
    let text = body.as_str();
    match text.contains(char::is_control) {
        false => Cow::Borrowed(text),
        true => Cow::Owned(body.tree().to_string()),
    }
}

pub(crate) fn certificate(certificate: &Certificate) -> Json<'static> {
    let bounded_by = match certificate.bounded_by {
        BoundedBy::Structure => "structure",
        BoundedBy::Cap => "cap",
    };
    let mut told = object([
        ("cost_usd", certificate.cost.map_or(Json::Null, usd)),
        ("calls", certificate.calls.map_or(Json::Null, number)),
        ("bounded_by", Json::from(bounded_by)),
    ]);
    if certificate.unmetered {
        told.set("unmetered", Json::Bool(true));
    }
    Json::Object(told)
}

pub(crate) fn limits(limits: &Limits) -> Json<'static> {
    Json::Object(object([
        ("cost_usd", limits.cost.map_or(Json::Null, usd)),
        ("minutes", limits.active.map_or(Json::Null, |active| minutes(active.as_secs_f64()))),
        ("calls", limits.calls.map_or(Json::Null, number)),
    ]))
}

/// What only one run at a time is asked for, besides its money.
pub(crate) fn add_usage(run: &mut Object<'static>, used: &Usage) {
    if let Some(Json::Object(usage)) = run.get_mut("usage") {
        usage.set("calls", number(used.calls));
        usage.set("unmetered_calls", number(used.unmetered));
        usage.set("minutes", minutes(used.active.unwrap_or_default().as_secs_f64()));
    }
}

pub(crate) fn fault(fault: &Fault) -> Json<'static> {
    data(&Data::of(fault))
}

pub(crate) fn data(data: &Data) -> Json<'static> {
    data.tree().into_owned()
}

pub(crate) fn text(value: impl ToString) -> Json<'static> {
    Json::String(value.to_string().into())
}

pub(crate) fn number(value: u64) -> Json<'static> {
    Json::Number(value.into())
}

pub(crate) fn at(at: At) -> Json<'static> {
    text(at)
}

/// Dollars to the last nano: what is written is a decimal number already.
pub(crate) fn usd(nanos: Nanos) -> Json<'static> {
    nanos.to_string().parse().map_or(Json::Null, Json::Number)
}

fn minutes(seconds: f64) -> Json<'static> {
    (seconds / 60.0).try_into().map_or(Json::Null, Json::Number)
}
