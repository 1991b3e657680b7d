//! `run_fork`, `run_retry` and `run_points`: a new run that begins where another one stood.

use consign_app::runs::{self, ForkRequest};
use consign_contracts::json::{Json, Object};
use consign_engine::{ForkAt, RecoveryPoint, RunId};

use super::{
    McpContext,
    arguments::Arguments,
    failure::Failure,
    tool::{Tool, What},
};
use crate::view;

pub(super) const FORK: Tool = Tool {
    name: "run_fork",
    title: "Begin a new run where another one stood",
    description: "Makes a new run that begins after an event or a recovery point of another one (run_points lists them). \
        Nothing that was recorded up to there is done again, and the other run stays as it is. A worker takes the new run. \
        Going on from what a person has answered, and repeating unsafe calls, is for a person.",
    input: r#"{
        "type": "object",
        "additionalProperties": false,
        "required": ["run", "at"],
        "properties": {
            "run": {"type": "string", "description": "The other run, by its whole id."},
            "at": {"type": ["integer", "string"], "minimum": 0, "minLength": 1, "maxLength": 200, "description": "The number of the event, or the name of the recovery point; `start` is before everything."},
            "id": {"type": "string", "pattern": "^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$", "description": "Your own name for the new run: the same fork under the same name gives the same run."}
        }
    }"#,
    output: MADE,
    what: What::ForkRun,
};

pub(super) const RETRY: Tool = Tool {
    name: "run_retry",
    title: "Retry a run that failed or was cancelled",
    description: "Makes a new run that begins just before what failed in another one, or before the stage `from`. \
        Everything that was finished is kept, also what ran beside what failed. Retry only after the cause was mended. A \
        worker takes the new run.",
    input: r#"{
        "type": "object",
        "additionalProperties": false,
        "required": ["run"],
        "properties": {
            "run": {"type": "string", "description": "The other run, by its whole id."},
            "from": {"type": "string", "minLength": 1, "maxLength": 200, "description": "Begin before this stage or recovery point instead."},
            "id": {"type": "string", "pattern": "^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$", "description": "Your own name for the new run: the same retry under the same name gives the same run."}
        }
    }"#,
    output: MADE,
    what: What::RetryRun,
};

pub(super) const POINTS: Tool = Tool {
    name: "run_points",
    title: "The recovery points of a run",
    description: "Lists the places from which a run can be forked by name, oldest first: a pipeline has one after every \
        stage, and `start` is before everything.",
    input: r#"{
        "type": "object",
        "additionalProperties": false,
        "required": ["run"],
        "properties": {"run": {"type": "string", "description": "The run, by its whole id."}}
    }"#,
    output: r#"{
        "type": "object",
        "required": ["items"],
        "properties": {
            "items": {"type": "array", "items": {
                "type": "object",
                "required": ["point", "run", "seq", "at"],
                "properties": {
                    "point": {"type": "string"},
                    "run": {"type": "string", "description": "The run whose journal has it: this one, or one that it was forked from."},
                    "seq": {"type": "integer"},
                    "at": {"type": "string"}
                }
            }}
        }
    }"#,
    what: What::ListPoints,
};

/// The new run.
const MADE: &str = r#"{
    "type": "object",
    "required": ["run", "status", "repeated"],
    "properties": {
        "run": {"type": "string", "description": "The new run."},
        "status": {"type": "string"},
        "repeated": {"type": "boolean", "description": "It was there already."}
    }
}"#;

pub(super) async fn fork(
    context: &McpContext,
    given: &Arguments,
) -> Result<Object<'static>, Failure> {
    let at = match given.count("at") {
        Some(_) => runs::place(given.data("at").as_str()),
        None => ForkAt::Point(given.text("at").unwrap_or_default()),
    };
    make(context, given, at).await
}

pub(super) async fn retry(
    context: &McpContext,
    given: &Arguments,
) -> Result<Object<'static>, Failure> {
    let from = given.text("from");
    let at = runs::retry_at(&context.home.engine, &given.wanted_run()?, from.as_deref()).await?;
    make(context, given, at).await
}

pub(super) async fn points(
    context: &McpContext,
    given: &Arguments,
) -> Result<Object<'static>, Failure> {
    let points = runs::points(&context.home.engine, &given.wanted_run()?).await?;
    let items = points.iter().map(|RecoveryPoint { run, name, seq, at }| {
        Json::Object(view::object([
            ("point", view::text(name)),
            ("run", view::text(run)),
            ("seq", view::number(seq.0)),
            ("at", view::at(*at)),
        ]))
    });
    Ok(view::object([("items", Json::Array(items.collect()))]))
}

async fn make(
    context: &McpContext,
    given: &Arguments,
    at: ForkAt,
) -> Result<Object<'static>, Failure> {
    let run = given.wanted_run()?;
    let row = context.home.engine.store().row(&run).await?;
    let request = ForkRequest {
        run,
        at,
        id: given.text("id").map(RunId::new),
        limits: consign_engine::Limits::default(),
        placement: runs::detached(&row),
        settings: None,
        input: None,
        // An agent does not repeat what must not be done twice.
        repeat_unsafe: false,
        by: context.by.clone(),
    };
    let submitted = runs::fork(&context.home.engine, request).await?;
    let row = context.home.engine.store().row(&submitted.run).await?;
    Ok(view::object([
        ("run", view::text(&row.id)),
        ("status", view::text(row.status)),
        ("repeated", Json::Bool(submitted.repeated)),
    ]))
}
