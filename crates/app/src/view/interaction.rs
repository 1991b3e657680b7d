//! An entry of the inbox as JSON.

use consign_contracts::json::{Json, Object};
use consign_engine::store::Interaction;

use super::scalar::{at, data, object, text};

#[must_use]
pub fn interaction(ask: &Interaction) -> Object<'static> {
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
        entry.set("agent", text(agent.shown()));
    }
    entry.set("audience", Json::from(ask.kind.audience().as_str()));
    if let Some((by, when)) = &ask.answered {
        entry.set("answered_by", text(by));
        entry.set("answered_at", at(*when));
    }
    if let Some(default) = &ask.default {
        entry.set("default", data(default));
    }
    entry
}
