//! `POST /api/pipelines/{name}/runs`: starts the server's pipeline with plain JSON.

use std::{sync::Arc, time::Duration};

use axum::{
    http::{StatusCode, header},
    response::Response,
};
use consign_app::{pipelines::StartAsk, runs};
use consign_contracts::{
    json::{Json, Object},
    wire::{Integer, wire},
};
use consign_engine::{Data, Owner};

use crate::{
    endpoint::{
        Answer, Call, Capacity, Checked, Document, Endpoint, Method, Operation, PipelinePath,
    },
    error::Problem,
    respond,
    routes::runs::limits::LimitsBody,
    server::App,
};

wire! {
    /// How long to wait.
    pub closed struct Wait {
        /// Wait so many seconds for the run to end or to stand still.
        wait: Option<Integer> [minimum: 0, maximum: 3600],
    }
}

wire! {
    /// The run to start.
    pub closed struct PipelineRunBody {
        /// What the pipeline is given, which stages refer to as {{input}}; {} if left out.
        input: Option<Document>,
        /// The caller's own name for the run: start it again under the same name and get the same run.
        id: Option<String> [minLength: 1, maxLength: 64, pattern: "^[A-Za-z0-9][A-Za-z0-9._-]*$"],
        /// Left out, a run may cost $10, work for 24 hours and make 100000 calls.
        limits: Option<LimitsBody>,
        /// Who pays for it.
        owner: Option<String> [pattern: r"^[^\s\x00-\x1f\x7f]{1,200}$"],
    }
}

pub(in crate::routes) struct StartPipeline;

impl Endpoint for StartPipeline {
    const METHOD: Method = Method::Post;
    const PATH: &'static str = "/api/pipelines/{name}/runs";
    const CAPACITY: Capacity = Capacity::Processing;
    const OPERATION: Operation = Operation::new(
        "startPipeline",
        "Start the pipeline that the server was given, with plain JSON",
        &[
            Answer::json(202, "WholeRun", "The run, which a worker drives.")
                .headers(&[("Location", "The run.")]),
            Answer::json(200, "WholeRun", "The run, which has ended while the request waited.")
                .headers(&[("Location", "The run.")]),
        ],
    )
    .description(
        "With `wait` the request waits for the run: 200 with its `output` or `fault` if it ended in time, else 202 as it \
         stands.",
    );
    type Path = PipelinePath;
    type Query = Wait;
    type Body = Checked<PipelineRunBody>;

    async fn answer(app: Arc<App>, call: Call<Self>) -> Result<Response, Problem> {
        let (received, closing) = (call.received, call.closing());
        let (PipelinePath(name), Checked(wanted)) = (call.path, call.body);
        let seconds = call.query.wait.as_ref().and_then(Integer::as_u64).unwrap_or(0);
        let limits = wanted.limits.map(|limits| limits.read("/limits")).transpose()?;
        let nothing = || Data::from(&Json::Object(Object::new()));
        let ask = StartAsk {
            input: wanted.input.map_or_else(nothing, |Document(input)| input),
            id: wanted.id.map(|id| call.caller.reach.name(&id)),
            limits: limits.unwrap_or_default(),
            owner: call.caller.reach.payer(wanted.owner.map(Owner::from), &call.caller.owner)?,
            by: call.caller.speaker.clone(),
        };
        let submitted = app.processor.start(&name, ask).await?;
        // The request's own time is over before the server's.
        let limit = app.options.time_limit.saturating_sub(Duration::from_secs(1));
        let until = received + Duration::from_secs(seconds).min(limit);
        let row = runs::wait(&app.engine, &submitted.run, until, closing).await?;
        let status = if row.status.is_closed() { StatusCode::OK } else { StatusCode::ACCEPTED };
        let mut response = respond::run(&app, status, &row).await?;
        if let Some(location) = respond::location(&submitted.run) {
            response.headers_mut().insert(header::LOCATION, location);
        }
        Ok(response)
    }
}
