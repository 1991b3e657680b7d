//! `POST /api/runs/{id}/answers/{key}`: answers what a run asks, or declines to.

use std::sync::Arc;

use axum::response::Response;
use consign_accounts::Scope;
use consign_app::runs::{self, Reply, Taken};
use consign_contracts::wire::{rules, wire};
use consign_engine::Data;

use crate::{
    endpoint::{
        self, Access, Call, Checked, Document, Endpoint, InteractionPath, Method, NoQuery,
        Operation,
    },
    error::Problem,
    respond,
    server::App,
};

wire! {
    /// An answer, or why there is none.
    pub closed struct AnswerBody {
        /// The answer, which must fit the schema of what is asked.
        value: Option<Document>,
        /// Why no answer will come in the place of an agent.
        decline: Option<String> [minLength: 1],
    }
    with rules(r#"{"minProperties": 1, "maxProperties": 1}"#)
}

pub(in crate::routes) struct Answer;

impl Endpoint for Answer {
    const METHOD: Method = Method::Post;
    const PATH: &'static str = "/api/runs/{id}/answers/{key}";
    const ACCESS: Access = Access::Scope(Scope::Answer);
    const OPERATION: Operation = Operation::new(
        "answer",
        "Answer what a run asks, or decline to",
        &[endpoint::Answer::json(200, "WholeRun", "It was taken; the run as it is now.")],
    )
    .description(
        "The first answer counts: a second one gets ALREADY_ANSWERED. A run that was started in the foreground \
         takes it and stands still: `needs_resume` says so. The answer to a template's request is put into its project \
         as `.agent-response.json`, and the command that `next` names in the project goes on.",
    );
    type Path = InteractionPath;
    type Query = NoQuery;
    type Body = Checked<AnswerBody>;

    async fn answer(app: Arc<App>, call: Call<Self>) -> Result<Response, Problem> {
        let InteractionPath(run, key) = call.path;
        let Checked(given) = call.body;
        let reply = match given.decline {
            Some(why) => Reply::Decline(why),
            None => Reply::Value(given.value.map_or_else(Data::null, |Document(value)| value)),
        };
        let answering = runs::answer(&app.engine, &run, Some(key), &reply, &call.caller.speaker);
        let Taken { row, .. } = app.compute_permits.run(answering).await?;
        respond::delivered(&app, &row).await
    }
}
