//! `POST /api/jobs`: makes a job, which waits to be activated.

use std::sync::Arc;

use axum::{
    http::{HeaderValue, StatusCode, header},
    response::Response,
};
use consign_accounts::Scope;
use consign_app::jobs::{OutsideJob, OutsidePhase, OutsideSupervisor, OutsideThresholds};
use consign_contracts::{
    Breach,
    json::{Json, Number, Object},
    wire::{Wire, rules, wire},
};

use super::{jobs, shown};
use crate::{
    endpoint::{Access, Answer, Call, Checked, Endpoint, Method, NoPath, NoQuery, Operation},
    error::{Part, Problem},
    server::App,
};

wire! {
    /// The job to make.
    pub closed struct JobBody {
        /// Its name, and that of its directory in the server's folder of jobs.
        name: String [pattern: "^[A-Za-z0-9][A-Za-z0-9._-]{0,43}$"],
        /// What it is for.
        objective: String [pattern: r"\S"],
        /// What is to be done, in order; one phase named `main` if left out.
        phases: Option<Vec<PhaseBody>> [minItems: 1, maxItems: 1000],
        /// What it may cost, in cents; 1000 if left out, and 0 is no threshold.
        cost_threshold: Option<Number<'static>> [minimum: 0],
        /// How long it may work, in minutes; 60 if left out, and 0 is no threshold.
        time_threshold_minutes: Option<Number<'static>> [minimum: 0, maximum: 10_000_000],
        /// Whether a person has to approve its end.
        require_approval: Option<bool> [default: false],
        /// Whether its texts are sealed.
        sensitive: Option<bool> [default: false],
    }
}

wire! {
    /// A phase. A command that checks it can only be written on the server's own machine.
    pub closed struct PhaseBody {
        /// Its name, which no other phase of the job has.
        name: String [pattern: "^[A-Za-z0-9._-]{1,64}$"],
        /// What is to be done.
        task: String [pattern: r"\S"],
        /// The role that does it; Worker if left out.
        role: Option<String> [pattern: "^[A-Za-z][A-Za-z0-9-]{0,63}$"],
        /// The role that reviews it, Supervisor if left out; false is none.
        supervisor: Option<SupervisorName>,
        /// Files of the workspace that both roles are given.
        context: Option<Vec<String>> [maxItems: 1000],
    }
}

/// A role's name, or `false` for none.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct SupervisorName(OutsideSupervisor);

impl Wire for SupervisorName {
    fn schema() -> Object<'static> {
        rules(
            r#"{"type": ["string", "boolean"], "pattern": "^[A-Za-z][A-Za-z0-9-]{0,63}$", "not": {"const": true}}"#,
        )
    }

    fn read(json: &Json<'_>) -> Result<Self, Breach> {
        // The schema has been checked: it is a name, or false.
        let named = json.as_str().map(|name| OutsideSupervisor::Named(name.to_owned()));
        Ok(Self(named.unwrap_or(OutsideSupervisor::Nobody)))
    }

    fn write(&self) -> Json<'static> {
        match &self.0 {
            OutsideSupervisor::Named(name) => Json::String(name.clone().into()),
            OutsideSupervisor::Nobody => Json::Bool(false),
            OutsideSupervisor::Usual => Json::Null,
        }
    }
}

impl PhaseBody {
    fn meant(self) -> OutsidePhase {
        let Self { name, task, role, supervisor, context } = self;
        let supervisor = supervisor.map(|SupervisorName(name)| name).unwrap_or_default();
        OutsidePhase { name, task, role, supervisor, context: context.unwrap_or_default() }
    }
}

/// Thresholds that a body has. What is left to refuse is a number that cannot be counted.
pub(super) fn thresholds(
    cost: Option<&Number<'_>>,
    minutes: Option<&Number<'_>>,
) -> Result<OutsideThresholds, Problem> {
    let cost = cost.map(ToString::to_string);
    let found = OutsideThresholds { cost, minutes: minutes.map(Number::as_f64) };
    found.read().map_err(|unfit| {
        Problem::invalid(Part::Body, format!("/{}", unfit.0), "maximum", unfit.to_string())
    })?;
    Ok(found)
}

pub(in crate::routes) struct CreateJob;

impl Endpoint for CreateJob {
    const METHOD: Method = Method::Post;
    const PATH: &'static str = "/api/jobs";
    const ACCESS: Access = Access::Scope(Scope::Jobs);
    const OPERATION: Operation = Operation::new(
        "createJob",
        "Make a job, which waits to be activated",
        &[Answer::json(201, "Job", "The job.").headers(&[("Location", "The job.")])],
    )
    .description(
        "A request names no repository (`repo`), no folder of roles (`roles`) and no command (`check`): they would run \
         programs of its choice on the server's machine. Roles are those of the server's home.",
    );
    type Path = NoPath;
    type Query = NoQuery;
    type Body = Checked<JobBody>;

    async fn answer(app: Arc<App>, call: Call<Self>) -> Result<Response, Problem> {
        let Checked(body) = call.body;
        let (cost, minutes) = (body.cost_threshold, body.time_threshold_minutes);
        let wanted = OutsideJob {
            name: body.name,
            objective: body.objective,
            phases: body.phases.unwrap_or_default().into_iter().map(PhaseBody::meant).collect(),
            thresholds: thresholds(cost.as_ref(), minutes.as_ref())?,
            require_approval: body.require_approval.unwrap_or(false),
            sensitive: body.sensitive.unwrap_or(false),
        };
        let view = jobs(&app, &call.caller).create(wanted).await?;
        let mut response = shown(StatusCode::CREATED, &view);
        // A name needs no encoding.
        if let Ok(location) = HeaderValue::try_from(format!("/api/jobs/{}", view.job_id)) {
            response.headers_mut().insert(header::LOCATION, location);
        }
        Ok(response)
    }
}
