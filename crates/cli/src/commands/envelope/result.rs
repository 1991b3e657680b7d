//! `consign envelope result FILE`: the answer of an envelope.

use std::path::PathBuf;

use consign_contracts::{
    envelope::{Envelope, TerminalReason},
    json::{Json, Object},
    wire::Nullable,
};

use consign_pipeline::{INTEGRATION, result};

use super::envelope;
use crate::{
    commands::answer::{self, Form},
    error::{Error, Exit},
    no_key,
    output::{Audience, Output, object},
};

const HELP: &str = "\
Prints the answer of an envelope with its citations: what the stage `integration` wrote, or else what the \
last stage did; of several at once the outputs of all. With --json it is {\"output_key\", \"result\"}: under which key it \
stands in the envelope's outputs, and that output as it is. Exits with 1 when there is none, and says why.

Examples:
  consign process < envelope.json | consign envelope result
  consign envelope result answered.json --format markdown > answer.md
  consign envelope result answered.json --json | jq .result.final_response";

#[derive(clap::Args)]
#[command(after_help = HELP)]
pub(super) struct Args {
    /// The envelope; `-` or nothing reads standard input
    #[arg(default_value = "-")]
    file: PathBuf,

    /// How to write it
    #[arg(long, value_enum, default_value_t = Form::Text)]
    format: Form,
}

pub(super) fn run(args: &Args, output: &mut Output) -> Result<Exit, Error> {
    let envelope = envelope(&args.file)?;
    let found = result(&envelope).filter(|(key, _)| {
        let done = matches!(
            envelope.terminal_reason,
            None | Some(Nullable(None | Some(TerminalReason::CompletedSuccessfully)))
        );
        // What a stage gave that waits, or was stopped, is no answer.
        done || *key == INTEGRATION
    });
    let Some((key, result)) = found else { return Err(none(&envelope)) };
    if output.reader == Audience::Program {
        let result = Json::Object(result.into_owned());
        output.object(object([("output_key", Json::from(key)), ("result", result)]))?;
        return Ok(Exit::Done);
    }
    answer::print(&result, args.format, output)?;
    Ok(Exit::Done)
}

fn none(envelope: &Envelope) -> Error {
    let stage = &envelope.current_stage;
    let told = match (&envelope.termination_reason, &envelope.clarification_question) {
        (Some(Nullable(Some(why))), _) if envelope.terminated => {
            let missing = no_key::missing(envelope.errors.iter().flatten());
            format!("it has no result: {}", no_key::reworded(why, &missing))
        }
        (_, Some(Nullable(Some(question)))) if envelope.clarification_pending == Some(true) => {
            format!("it has no result yet: it waits for an answer to {question:?}")
        }
        _ => format!("it has no result yet: it is at {stage:?}"),
    };
    let mut details = Object::new();
    details.set("current_stage", Json::String(stage.clone().into()));
    Error::new("NO_RESULT", told).details(details).hint("`consign process` takes it further")
}
