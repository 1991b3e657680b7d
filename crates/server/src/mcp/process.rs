//! `process_envelope`: makes a durable run of an envelope, and waits for it.

use std::time::Duration;

use consign_app::next::next;
use consign_contracts::json::{self, Json, Object};
use tokio::time::Instant;

use super::{
    McpContext,
    arguments::Arguments,
    failure::Failure,
    tool::{Tool, What},
};
use crate::{Ask, Processed, Refused, error::Problem, view};

/// How long a run is waited for if the call does not say.
const WAIT: u64 = 10;

pub(super) const TOOL: Tool = Tool {
    name: "process_envelope",
    title: "Process an envelope as a durable run",
    description: "Makes a durable run of an envelope with the pipeline that this server was started with (without \
        one, the six agents that answer questions about a repository), or goes on with the run that it came from. A \
        worker drives it; the call waits until the run is over or asks something, `wait_seconds` at most, and gives \
        the envelope as it is then. `complete` false: the run goes on; send the same envelope again to wait for it, \
        it is the same run. Where `clarification_pending` or `confirmation_pending` is true, set the response in the \
        envelope and send it, or answer the entry of the inbox.",
    input: r#"{
        "type": "object",
        "additionalProperties": false,
        "required": ["envelope"],
        "properties": {
            "envelope": {"type": "object", "description": "Contract envelope/envelope."},
            "until": {"type": "string", "minLength": 1, "description": "Stop after this stage."},
            "wait_seconds": {"type": "integer", "minimum": 0, "maximum": 55, "description": "How long to wait for the run; 10 if it is left out."}
        }
    }"#,
    output: r#"{
        "type": "object",
        "required": ["run", "complete", "status", "next", "envelope"],
        "properties": {
            "run": {"type": ["string", "null"], "description": "Null for an envelope that was over already: it becomes no run."},
            "complete": {"type": "boolean", "description": "It came to its end, a wait, a bound or the stage."},
            "status": {"type": ["string", "null"], "description": "Of the run."},
            "next": {"type": "string", "description": "How the run goes on."},
            "envelope": {"type": "object"}
        }
    }"#,
    what: What::Process,
};

pub(super) async fn process(
    context: &McpContext,
    given: &Arguments,
) -> Result<Object<'static>, Failure> {
    let wait = given.count("wait_seconds").map_or(WAIT, |seconds| seconds as u64);
    let ask = Ask {
        until: given.text("until"),
        durable: true,
        owner: context.owner.clone(),
        by: context.by.clone(),
        within: Duration::from_secs(wait),
        came: Instant::now(),
        closing: None,
    };
    let envelope = given.data("envelope").as_str().to_owned();
    let processed = context.processor.process(envelope.into(), ask).await.map_err(refused)?;
    let Processed { body, run, complete } = processed;
    let envelope = json::parse(body.as_bytes()).map_err(Problem::from)?.into_owned();
    let (run, status, next) = match run {
        Some(run) => {
            let row = context.home.engine.store().row(&run).await?;
            let next = next(&context.home.engine, &row).await?.hint(&run);
            (view::text(run), view::text(row.status), next)
        }
        None => (Json::Null, Json::Null, "the envelope is over; nothing goes on".to_owned()),
    };
    Ok(view::object([
        ("run", run),
        ("complete", Json::Bool(complete)),
        ("status", status),
        ("next", view::text(next)),
        ("envelope", envelope),
    ]))
}

fn refused(refused: Refused) -> Failure {
    const HINT: &str =
        "contract envelope/envelope says what an envelope is; correct it and send it again";
    match refused {
        Refused::Malformed(malformed) => {
            let problem = Problem::new("MALFORMED", format!("the envelope: {malformed}"));
            Failure::from(problem).hint(HINT)
        }
        Refused::Breached(breaches) => {
            let problem = Problem::breached("the envelope", &breaches, false);
            Failure::from(problem).code("CONTRACT_BREACH").hint(HINT)
        }
        Refused::Engine(error) => error.into(),
    }
}
