//! `POST /api/v1/process`: an envelope in, an envelope out.

use std::{sync::Arc, time::Duration};

use axum::{
    http::{HeaderValue, StatusCode, header},
    response::Response,
};
use consign_accounts::Scope;
use consign_contracts::{
    json::{self, Json},
    wire::wire,
};

use crate::{
    Ask, Processed,
    endpoint::{Answer, Call, Capacity, Endpoint, EnvelopeBody, Method, NoPath, Operation},
    error::Problem,
    respond,
    server::App,
    view::object,
};

wire! {
    /// How an envelope is to be processed.
    pub closed struct ProcessQuery {
        /// Make a run of it.
        durable: Option<bool> [default: false],
        /// Stop after this stage.
        until: Option<String> [minLength: 1],
    }
}

pub(super) struct Process;

impl Endpoint for Process {
    const METHOD: Method = Method::Post;
    const PATH: &'static str = "/api/v1/process";
    const CAPACITY: Capacity = Capacity::Processing;
    const OPERATION: Operation = Operation::new(
        "process",
        "Process an envelope",
        &[
            Answer::json(200, "Envelope", "The envelope as it came out.")
                .headers(&[("Location", "The run, where it is durable.")]),
            Answer::json(
                202,
                "Envelope",
                "The envelope of a durable run that is not over yet, as it stands.",
            )
            .headers(&[("Location", "The run.")]),
        ],
    )
    .description(
        "Until the end, a wait, a bound or a stage. A durable run goes on whatever becomes of the request; the \
         same envelope again is the same run. The same answer again changes nothing; another than the first is refused \
         with ALREADY_ANSWERED. Where a run waits for what no answer in the envelope can give, `metadata.waits` has \
         it, as the inbox has. An envelope that is not made a run and is not done in time, or when the server stops, \
         comes back as far as it came in `error.details.envelope`, with 504 or 503.",
    );
    type Path = NoPath;
    type Query = ProcessQuery;
    type Body = EnvelopeBody;

    async fn answer(app: Arc<App>, call: Call<Self>) -> Result<Response, Problem> {
        if !call.caller.may(Scope::Answer) {
            carries_no_answer(&call.body, app.options.max_body_bytes)?;
        }
        let options = &app.options;
        let ask = Ask {
            closing: call.closing(),
            came: call.received,
            until: call.query.until,
            durable: call.query.durable.unwrap_or(false),
            owner: call.caller.owner.clone(),
            by: call.caller.speaker.clone(),
            within: within(options.time_limit),
        };
        let EnvelopeBody(body) = call.body;
        let processing = app.processing_permits.run(app.processor.process(body, ask.clone()));
        let Processed { body, run, complete } = processing.await?;
        if !complete && run.is_none() {
            return Err(left(&body, &ask, options.time_limit));
        }
        let status = if complete { StatusCode::OK } else { StatusCode::ACCEPTED };
        let mut response = respond::text(status, body);
        if let Some(location) = run.as_ref().and_then(respond::location) {
            response.headers_mut().insert(header::LOCATION, location);
        }
        Ok(response)
    }
}

/// An envelope can carry the answer of a person; who lacks the scope for answers must not send one.
fn carries_no_answer(EnvelopeBody(body): &EnvelopeBody, most: usize) -> Result<(), Problem> {
    let limits = json::Limits { bytes: most, ..json::Limits::default() };
    // What is not JSON is refused by the processor.
    let Ok(envelope) = json::parse_within(body, limits) else { return Ok(()) };
    for name in ["clarification_response", "confirmation_response"] {
        if envelope.get(name).is_some_and(|answer| !matches!(answer, Json::Null)) {
            let told =
                format!("the token lacks the scope `answer`, and the envelope has a `{name}`");
            return Err(Problem::new("FORBIDDEN", told));
        }
    }
    Ok(())
}

/// A carried envelope that came only so far. It is an error, since it must not look done; and it has the envelope,
/// since no other copy is kept.
fn left(envelope: &str, ask: &Ask, limit: Duration) -> Problem {
    let told = "`details.envelope` is as far as it came: send that to go on";
    let problem = match ask.is_closing() {
        true => Problem::new("STOPPING", format!("the server was told to stop; {told}"))
            .with_header(header::RETRY_AFTER, HeaderValue::from_static("1")),
        false => Problem::new("TIMEOUT", format!("it was not done within {limit:?}; {told}")),
    };
    match json::parse(envelope.as_bytes()) {
        Ok(envelope) => {
            problem.with_details(Json::Object(object([("envelope", envelope.into_owned())])))
        }
        Err(_) => problem,
    }
}

/// What is left for writing the answer is not left to the processor.
fn within(limit: Duration) -> Duration {
    limit - (limit / 4).min(Duration::from_secs(1))
}
