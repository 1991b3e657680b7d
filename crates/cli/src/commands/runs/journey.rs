//! A pipeline's run, as people want to see it: not the envelope, but what was asked and how far it is.

use consign_contracts::json::{Json, Object};
use consign_engine::{Data, store::Row};
use consign_pipeline::{ENVELOPE, Errand, adopt, envelope::read_again};

use crate::engine::Session;

/// The pipeline's name and what was asked.
pub(super) fn begun(row: &Row, input: &Data) -> Option<(String, String)> {
    if row.workflow != ENVELOPE {
        return None;
    }
    let errand: Errand = input.to().ok()?;
    let text = |data: &Data, name: &str| data.tree().ok()?.get(name)?.as_str().map(str::to_owned);
    Some((text(&errand.pipeline, "name")?, text(&errand.envelope, "raw_input")?))
}

/// The stages that had their turn: `perception 2ms → intent 30ms → plan failed`.
pub(super) async fn stages(session: &Session, row: &Row) -> Option<String> {
    if row.workflow != ENVELOPE {
        return None;
    }
    let envelope = adopt::envelope_of(&session.engine, &row.id).await.ok()?;
    let turns: Vec<_> = envelope.processing_history.iter().flatten().filter_map(turn).collect();
    let next = (!envelope.terminated).then(|| format!("{} …", envelope.current_stage));
    let way: Vec<_> = turns.into_iter().chain(next).collect();
    (!way.is_empty()).then(|| way.join(" → "))
}

fn turn(record: &Object<'_>) -> Option<String> {
    let agent = record.get("agent")?.as_str()?;
    if record.get("status").and_then(Json::as_str) == Some("error") {
        return Some(format!("{agent} failed"));
    }
    let millis = record.get("duration_ms").and_then(Json::as_number).map(|took| took.as_f64());
    Some(match millis {
        Some(millis) if millis.is_finite() => format!("{agent} {millis:.0}ms"),
        Some(_) | None => agent.to_owned(),
    })
}

/// What the last stage gave.
pub(super) fn result(row: &Row, end: &Data) -> Option<String> {
    if row.workflow != ENVELOPE {
        return None;
    }
    let envelope = read_again(end).ok()?;
    let (_, result) = consign_pipeline::result(&envelope)?;
    Some(Json::Object(result.into_owned()).to_string())
}
