//! A run as JSON, with its limits and its usage.

use consign_contracts::json::{Json, Object};
use consign_engine::{
    BoundedBy, Certificate, Engine, Limits, Usage,
    journal::Created,
    store::{Error, Row},
};

use super::scalar::{at, minutes, number, object, text, usd};
use super::whole::beginning;

/// A run by itself.
#[must_use]
pub fn run(row: &Row) -> Object<'static> {
    let figures = &row.figures;
    let mut run = object([
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
        ("label", row.label.as_ref().map_or(Json::Null, text)),
        ("interrupted", Json::Bool(row.interrupted)),
    ]);
    if row.redacted {
        run.set("redacted", Json::Bool(true));
    }
    run
}

/// What a run's input calls its pipeline, where it has one: all of these have one workflow.
#[must_use]
pub fn pipeline(created: &Created) -> Option<String> {
    let input = created.input.tree().ok()?;
    Some(input.get("pipeline")?.get("name")?.as_str()?.to_owned())
}

/// Whether runs of a workflow are those of pipelines.
fn is_of_pipelines(row: &Row) -> bool {
    row.workflow == consign_pipeline::ENVELOPE
}

/// The pipelines of a page of runs. A name costs one look into a journal, and only where there is one.
pub async fn pipelines(engine: &Engine, rows: &[Row]) -> Result<Vec<Option<String>>, Error> {
    let mut names = Vec::with_capacity(rows.len());
    for row in rows {
        names.push(match is_of_pipelines(row) {
            true => beginning(engine, row).await?.as_ref().and_then(pipeline),
            false => None,
        });
    }
    Ok(names)
}

/// A run as lists show it, with the name of its pipeline.
#[must_use]
pub fn listed(row: &Row, pipeline: Option<&str>) -> Object<'static> {
    let mut run = run(row);
    if let Some(pipeline) = pipeline {
        run.set("pipeline", text(pipeline));
    }
    run
}

/// What only one run at a time is asked for, besides its money.
pub fn add_usage(run: &mut Object<'static>, used: &Usage) {
    if let Some(Json::Object(usage)) = run.get_mut("usage") {
        usage.set("calls", number(used.calls));
        usage.set("unmetered_calls", number(used.unmetered));
        usage.set("minutes", minutes(used.active.unwrap_or_default().as_secs_f64()));
    }
}

#[must_use]
pub fn limits(limits: &Limits) -> Json<'static> {
    Json::Object(object([
        ("cost_usd", limits.cost.map_or(Json::Null, usd)),
        ("minutes", limits.active.map_or(Json::Null, |active| minutes(active.as_secs_f64()))),
        ("calls", limits.calls.map_or(Json::Null, number)),
    ]))
}

#[must_use]
pub fn certificate(certificate: &Certificate) -> Json<'static> {
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
