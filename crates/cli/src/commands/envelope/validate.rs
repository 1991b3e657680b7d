//! `consign envelope validate FILE`: whether a document is an envelope, and of which version.

use std::path::PathBuf;

use consign_contracts::{
    envelope::Envelope,
    json::{Json, Object},
    wire::Message,
};
use consign_pipeline::envelope::NotAnEnvelope;

use super::{NoEnvelope, envelope};
use crate::{
    commands::{process::breach, runs::form},
    error::{Error, Exit},
    output::{Audience, Output, object},
};

const HELP: &str = "\
Says whether a document is an envelope, and which version its members make it. Exits with 1 and every \
breach if it is none. With --json that is {\"valid\": false, \"contract\", \"breaches\": [{\"pointer\", \"keyword\", \"message\"}]}, \
or \"malformed\": reason in place of the breaches.

Examples:
  consign envelope validate envelope.json
  consign process < envelope.json | consign envelope validate";

#[derive(clap::Args)]
#[command(after_help = HELP)]
pub(super) struct Args {
    /// The envelope; `-` or nothing reads standard input
    #[arg(default_value = "-")]
    file: PathBuf,
}

pub(super) fn run(args: &Args, output: &mut Output) -> Result<Exit, Error> {
    let envelope = match envelope(&args.file) {
        Ok(envelope) => envelope,
        Err(NoEnvelope::Read(why, _)) if output.reader == Audience::Program => {
            output.object(invalid(&why))?;
            return Ok(Exit::Failed);
        }
        Err(why) => return Err(why.into()),
    };
    let version = version(&envelope);
    if output.reader == Audience::Program {
        output.object(object([
            ("valid", Json::Bool(true)),
            ("envelope_id", form::text(&envelope.envelope_id)),
            ("version", form::text(version)),
            ("current_stage", form::text(&envelope.current_stage)),
            ("terminated", Json::Bool(envelope.terminated)),
        ]))?;
        return Ok(Exit::Done);
    }
    output.line(format!("{} is a valid envelope of version {version}", envelope.envelope_id))?;
    Ok(Exit::Done)
}

/// The verdict in the form of `consign contracts check`.
fn invalid(why: &NotAnEnvelope) -> Object<'static> {
    let (name, told) = match why {
        NotAnEnvelope::Malformed(malformed) => ("malformed", form::text(malformed.to_string())),
        NotAnEnvelope::Breached(breaches) => {
            ("breaches", Json::Array(breaches.iter().map(breach).collect()))
        }
    };
    let contract = form::text(Envelope::contract().name);
    object([("valid", Json::Bool(false)), ("contract", contract), (name, told)])
}

/// There is no field for it: what is there tells.
fn version(envelope: &Envelope) -> &'static str {
    if envelope.llm_call_count.is_some() || envelope.agent_hop_count.is_some() {
        "1.2"
    } else if envelope.completed_stages.is_some() || envelope.goal_completion_status.is_some() {
        "1.1"
    } else {
        "1.0"
    }
}
