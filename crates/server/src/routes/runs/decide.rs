//! `POST /api/runs/{id}/approve` and `/reject`: what a person says to an approval.

use std::sync::Arc;

use axum::response::Response;
use consign_accounts::Scope;
use consign_app::runs::{self, Taken, Verdict};
use consign_contracts::wire::wire;
use consign_engine::{Key, RunId};

use crate::{
    caller::Caller,
    endpoint::{Access, Answer, Call, Checked, Endpoint, Method, NoQuery, Operation, RunPath},
    error::Problem,
    respond,
    server::App,
};

wire! {
    /// An approval.
    pub closed struct ApproveBody {
        /// What is approved, as the inbox names it; may be left out where the run asks for one approval.
        interaction: Option<String> [minLength: 1, maxLength: 256],
        /// Why.
        why: Option<String> [minLength: 1],
    }
}

wire! {
    /// A rejection.
    pub closed struct RejectBody {
        /// What is rejected, as the inbox names it; may be left out where the run asks for one approval.
        interaction: Option<String> [minLength: 1, maxLength: 256],
        /// Why.
        why: String [minLength: 1],
    }
}

pub(in crate::routes) struct Approve;

impl Endpoint for Approve {
    const METHOD: Method = Method::Post;
    const PATH: &'static str = "/api/runs/{id}/approve";
    const ACCESS: Access = Access::Scope(Scope::Answer);
    const OPERATION: Operation = Operation::new(
        "approve",
        "Say yes to what a run asks a person to approve",
        &[Answer::json(200, "WholeRun", "It was taken; the run as it is now.")],
    )
    .description("The first answer counts: a second one gets ALREADY_ANSWERED.");
    type Path = RunPath;
    type Query = NoQuery;
    type Body = Checked<ApproveBody>;

    async fn answer(app: Arc<App>, call: Call<Self>) -> Result<Response, Problem> {
        let (RunPath(run), Checked(ApproveBody { interaction, why })) = (call.path, call.body);
        decide(&app, &call.caller, &run, interaction, Verdict::Approved { why }).await
    }
}

pub(in crate::routes) struct Reject;

impl Endpoint for Reject {
    const METHOD: Method = Method::Post;
    const PATH: &'static str = "/api/runs/{id}/reject";
    const ACCESS: Access = Access::Scope(Scope::Answer);
    const OPERATION: Operation = Operation::new(
        "reject",
        "Say no to what a run asks a person to approve",
        &[Answer::json(200, "WholeRun", "It was taken; the run as it is now.")],
    )
    .description("The first answer counts: a second one gets ALREADY_ANSWERED.");
    type Path = RunPath;
    type Query = NoQuery;
    type Body = Checked<RejectBody>;

    async fn answer(app: Arc<App>, call: Call<Self>) -> Result<Response, Problem> {
        let (RunPath(run), Checked(RejectBody { interaction, why })) = (call.path, call.body);
        decide(&app, &call.caller, &run, interaction, Verdict::Rejected { why }).await
    }
}

async fn decide(
    app: &App,
    caller: &Caller,
    run: &RunId,
    interaction: Option<String>,
    verdict: Verdict,
) -> Result<Response, Problem> {
    let key = interaction.map(Key::from);
    let Taken { row, .. } = runs::decide(&app.engine, run, key, &verdict, &caller.speaker).await?;
    respond::delivered(app, &row).await
}
