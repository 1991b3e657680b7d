//! `POST /api/runs/{id}/fork` and `/retry`: a new run that begins where another one stood.

use std::sync::Arc;

use axum::{
    http::{StatusCode, header},
    response::Response,
};
use consign_app::runs::{self, ForkRequest};
use consign_contracts::{json::Json, wire::wire};
use consign_engine::{ForkAt, RunId};

use super::limits::LimitsBody;
use crate::{
    caller::Caller,
    endpoint::{Answer, Call, Checked, Endpoint, Method, NoQuery, Operation, RunPath},
    error::Problem,
    respond,
    server::App,
};

wire! {
    /// A fork.
    pub closed struct ForkBody {
        /// The number of the event, or the name of the recovery point, after which the new run begins.
        at: Place,
        /// The caller's own name for the new run: fork again under the same name and get the same run.
        id: Option<String> [minLength: 1, maxLength: 64, pattern: "^[A-Za-z0-9][A-Za-z0-9._-]*$"],
        /// Left out, the limits of the other run hold.
        limits: Option<LimitsBody>,
        /// Whether unsafe calls that the other run made after that place may be made again.
        repeat_unsafe: Option<bool> [default: false],
    }
}

wire! {
    /// A retry.
    pub closed struct RetryBody {
        /// Begin before this stage or recovery point, and not just before what failed.
        from: Option<String> [minLength: 1, maxLength: 200],
        /// The caller's own name for the new run: retry again under the same name and get the same run.
        id: Option<String> [minLength: 1, maxLength: 64, pattern: "^[A-Za-z0-9][A-Za-z0-9._-]*$"],
        /// Left out, the limits of the other run hold.
        limits: Option<LimitsBody>,
        /// Whether unsafe calls that the other run made after that place may be made again.
        repeat_unsafe: Option<bool> [default: false],
    }
}

/// An event's number or a point's name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Place(ForkAt);

impl consign_contracts::wire::Wire for Place {
    fn schema() -> consign_contracts::json::Object<'static> {
        let schema =
            r#"{"type": ["integer", "string"], "minimum": 0, "minLength": 1, "maxLength": 200}"#;
        match consign_contracts::json::parse(schema.as_bytes()) {
            Ok(Json::Object(schema)) => schema.into_owned(),
            Ok(_) | Err(_) => unreachable!("the schema above is an object"),
        }
    }

    fn read(json: &Json<'_>) -> Result<Self, consign_contracts::Breach> {
        // The schema has been checked: it is a number or a text.
        let typed = json.as_str().map_or_else(|| json.to_string(), str::to_owned);
        Ok(Self(if json.as_str().is_some() { ForkAt::Point(typed) } else { runs::place(&typed) }))
    }

    fn write(&self) -> Json<'static> {
        match &self.0 {
            ForkAt::Event(seq) => Json::Number(seq.0.into()),
            ForkAt::Point(name) => Json::String(name.clone().into()),
            ForkAt::Failure => Json::Null,
        }
    }
}

const MADE: &[Answer] = &[
    Answer::json(201, "WholeRun", "The new run.").headers(&[("Location", "The new run.")]),
    Answer::json(
        200,
        "WholeRun",
        "The run that was there already: it was forked before under the same id.",
    )
    .headers(&[("Location", "The run.")]),
];

pub(in crate::routes) struct Fork;

impl Endpoint for Fork {
    const METHOD: Method = Method::Post;
    const PATH: &'static str = "/api/runs/{id}/fork";
    const OPERATION: Operation = Operation::new("fork", "Begin a new run where this one stood", MADE)
        .description(
            "Nothing that was recorded up to there is done again; the other run stays as it is. What the new run spends \
             starts at nothing. A worker takes it.",
        );
    type Path = RunPath;
    type Query = NoQuery;
    type Body = Checked<ForkBody>;

    async fn answer(app: Arc<App>, call: Call<Self>) -> Result<Response, Problem> {
        let (RunPath(run), Checked(ForkBody { at: Place(at), id, limits, repeat_unsafe })) =
            (call.path, call.body);
        make(&app, &call.caller, run, at, id, (limits, repeat_unsafe)).await
    }
}

pub(in crate::routes) struct Retry;

impl Endpoint for Retry {
    const METHOD: Method = Method::Post;
    const PATH: &'static str = "/api/runs/{id}/retry";
    const OPERATION: Operation =
        Operation::new("retry", "Begin a new run just before what failed in this one", MADE)
            .description(
                "Of a failed or cancelled run. Everything that was finished is kept, also what ran beside what failed. \
                 A worker takes the new run.",
            );
    type Path = RunPath;
    type Query = NoQuery;
    type Body = Checked<RetryBody>;

    async fn answer(app: Arc<App>, call: Call<Self>) -> Result<Response, Problem> {
        let (RunPath(run), Checked(RetryBody { from, id, limits, repeat_unsafe })) =
            (call.path, call.body);
        let at = runs::retry_at(&app.engine, &run, from.as_deref()).await?;
        make(&app, &call.caller, run, at, id, (limits, repeat_unsafe)).await
    }
}

async fn make(
    app: &App,
    caller: &Caller,
    run: RunId,
    at: ForkAt,
    id: Option<String>,
    (limits, repeat_unsafe): (Option<LimitsBody>, Option<bool>),
) -> Result<Response, Problem> {
    let limits = limits.map(|limits| limits.read("/limits")).transpose()?.unwrap_or_default();
    let row = app.engine.store().row(&run).await?;
    let request = ForkRequest {
        run,
        at,
        id: id.map(|id| caller.reach.name(&id)),
        limits,
        placement: runs::detached(&row),
        settings: None,
        input: None,
        repeat_unsafe: repeat_unsafe.unwrap_or(false),
        by: caller.speaker.clone(),
    };
    let submitted = app.compute_permits.run(runs::fork(&app.engine, request)).await?;
    let row = app.engine.store().row(&submitted.run).await?;
    let status = if submitted.repeated { StatusCode::OK } else { StatusCode::CREATED };
    let mut response = respond::run(app, status, &row).await?;
    if let Some(location) = respond::location(&submitted.run) {
        response.headers_mut().insert(header::LOCATION, location);
    }
    Ok(response)
}
