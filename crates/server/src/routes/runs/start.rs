//! `POST /api/runs`: starts a run, which a worker takes.

use std::sync::Arc;

use axum::{
    http::{StatusCode, header},
    response::Response,
};
use consign_app::runs::{self, Admission, Start};
use consign_contracts::{
    json::{Json, Object},
    wire::{Integer, wire},
};
use consign_engine::{Data, Owner, Placement, Settings};

use super::limits::LimitsBody;
use crate::{
    caller::Caller,
    endpoint::{Answer, Call, Checked, Document, Endpoint, Method, NoPath, NoQuery, Operation},
    error::Problem,
    respond,
    server::App,
};

wire! {
    /// The run to start.
    pub closed struct StartBody {
        /// Such as `sample/steps`.
        workflow: String [minLength: 1, maxLength: 200],
        /// What the workflow is given; {} if left out.
        input: Option<Document>,
        /// The caller's own name for the run: start it again under the same name and get the same run.
        id: Option<String> [minLength: 1, maxLength: 64, pattern: "^[A-Za-z0-9][A-Za-z0-9._-]*$"],
        /// Left out, a run may cost $10, work for 24 hours and make 100000 calls.
        limits: Option<LimitsBody>,
        /// Who pays for it.
        owner: Option<String> [pattern: r"^[^\s\x00-\x1f\x7f]{1,200}$"],
        /// Workers take higher ones first.
        priority: Option<Integer> [minimum: i32::MIN, maximum: i32::MAX],
        /// Refuse it unless it is sure to end within its limits.
        certified: Option<bool>,
    }
}

pub(in crate::routes) struct StartRun;

impl Endpoint for StartRun {
    const METHOD: Method = Method::Post;
    const PATH: &'static str = "/api/runs";
    const OPERATION: Operation = Operation::new(
        "startRun",
        "Start a run, which a worker takes",
        &[
            Answer::json(201, "WholeRun", "The run.").headers(&[("Location", "The run.")]),
            Answer::json(
                200,
                "WholeRun",
                "The run that was there already: the same was started under the same id.",
            )
            .headers(&[("Location", "The run.")]),
        ],
    );
    type Path = NoPath;
    type Query = NoQuery;
    type Body = Checked<StartBody>;

    async fn answer(app: Arc<App>, call: Call<Self>) -> Result<Response, Problem> {
        let Checked(wanted) = call.body;
        let submitting = async {
            let place = app.processor.place();
            let admission = Admission::Outside(&place);
            Ok::<_, Problem>(
                runs::start(&app.engine, wanted_run(&call.caller, wanted)?, admission).await?,
            )
        };
        let submitted = app.compute_permits.run(submitting).await?;
        let row = app.engine.store().row(&submitted.run).await?;
        let status = if submitted.repeated { StatusCode::OK } else { StatusCode::CREATED };
        let mut response = respond::run(&app, status, &row).await?;
        if let Some(location) = respond::location(&submitted.run) {
            response.headers_mut().insert(header::LOCATION, location);
        }
        Ok(response)
    }
}

fn wanted_run(caller: &Caller, wanted: StartBody) -> Result<Start, Problem> {
    let set = wanted.limits.map(|limits| limits.read("/limits")).transpose()?.unwrap_or_default();
    let nothing = || Data::from(&Json::Object(Object::new()));
    let priority = wanted.priority.as_ref().and_then(Integer::as_i64);
    Ok(Start {
        id: wanted.id.map(|id| caller.reach.name(&id)),
        workflow: wanted.workflow,
        input: wanted.input.map_or_else(nothing, |Document(input)| input),
        owner: caller.reach.payer(wanted.owner.map(Owner::from), &caller.owner)?,
        limits: set,
        placement: Placement::Anywhere,
        priority: priority.and_then(|priority| i32::try_from(priority).ok()).unwrap_or(0),
        settings: Settings::default(),
        certified: wanted.certified.unwrap_or(false),
        actor: caller.speaker.actor.clone(),
    })
}
