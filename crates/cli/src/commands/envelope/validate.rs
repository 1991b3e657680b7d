//! `consign envelope validate FILE`

use std::path::PathBuf;

use consign_contracts::{envelope::Envelope, json::Json};

use super::envelope;
use crate::{
    commands::runs::form,
    error::{Error, Exit},
    output::{Output, Reader, object},
};

const HELP: &str = "\
Says whether a document is an envelope, and which version its members make it. Exits with 1 and every \
breach if it is none.

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
    let envelope = envelope(&args.file)?;
    let version = version(&envelope);
    if output.reader == Reader::Program {
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
