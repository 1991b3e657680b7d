//! `POST /api/runs/{id}/signals`: sends a run something that its workflow takes without asking.

use std::sync::Arc;

use axum::response::Response;
use consign_app::runs;
use consign_contracts::wire::wire;
use consign_engine::Data;

use crate::{
    endpoint::{Answer, Call, Checked, Document, Endpoint, Method, NoQuery, Operation, RunPath},
    error::Problem,
    respond,
    server::App,
};

wire! {
    /// A signal.
    pub closed struct SignalBody {
        /// The name that the workflow has declared.
        name: String [minLength: 1, maxLength: 200],
        /// Its value, which must fit the contract of the signal; null if left out.
        value: Option<Document>,
    }
}

pub(in crate::routes) struct Signal;

impl Endpoint for Signal {
    const METHOD: Method = Method::Post;
    const PATH: &'static str = "/api/runs/{id}/signals";
    const OPERATION: Operation = Operation::new(
        "signal",
        "Send a run something that its workflow takes without asking",
        &[Answer::json(200, "WholeRun", "It was taken; the run as it is now.")],
    )
    .description("A name that the workflow has not declared gets SIGNAL_NOT_FOUND.");
    type Path = RunPath;
    type Query = NoQuery;
    type Body = Checked<SignalBody>;

    async fn answer(app: Arc<App>, call: Call<Self>) -> Result<Response, Problem> {
        let (RunPath(run), Checked(SignalBody { name, value })) = (call.path, call.body);
        let value = value.map_or_else(Data::null, |Document(value)| value);
        let sending = runs::signal(&app.engine, &run, &name, &value, &call.caller.speaker);
        let row = app.compute_permits.run(sending).await?;
        respond::delivered(&app, &row).await
    }
}
