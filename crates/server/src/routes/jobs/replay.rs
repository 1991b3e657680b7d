//! `GET /api/jobs/{id}/replay`: holds the files of a job against its journal.

use std::sync::Arc;

use axum::response::Response;
use consign_accounts::Scope;
use consign_app::jobs::Replayed;
use serde_json::{Value, json};

use super::{jobs, value};
use crate::{
    endpoint::{Access, Answer, Call, Endpoint, JobPath, Method, NoBody, NoQuery, Operation},
    error::Problem,
    server::App,
};

pub(in crate::routes) struct Replay;

impl Endpoint for Replay {
    const METHOD: Method = Method::Get;
    const PATH: &'static str = "/api/jobs/{id}/replay";
    const ACCESS: Access = Access::Scope(Scope::Jobs);
    const OPERATION: Operation = Operation::new(
        "jobReplay",
        "Work every transition of a job out again, and compare its files with the journal",
        &[Answer::json(
            200,
            "JobReplay",
            "What is not as the journal says; nothing, if all is well.",
        )],
    )
    .description("Nothing is repaired.");
    type Path = JobPath;
    type Query = NoQuery;
    type Body = NoBody;

    async fn answer(app: Arc<App>, call: Call<Self>) -> Result<Response, Problem> {
        let JobPath(job) = call.path;
        let replaying = async { jobs(&app, &call.caller).replay(&job).await };
        let Replayed { interactions, findings } = app.compute_permits.run(replaying).await?;
        let findings: Vec<Value> = findings
            .iter()
            .map(|found| json!({ "sequence": found.sequence, "what": found.what }))
            .collect();
        Ok(value(&json!({ "interactions": interactions, "findings": findings })))
    }
}
