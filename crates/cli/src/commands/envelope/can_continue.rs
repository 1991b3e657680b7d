//! `consign envelope can-continue FILE`: whether an envelope can go on, and what it has used.

use std::path::PathBuf;

use consign_contracts::{
    envelope::Envelope,
    json::Json,
    wire::{Nullable, Wire},
};
use consign_pipeline::envelope::{fill, has_waits, number};

use super::envelope;
use crate::{
    engine::now,
    error::{Error, Exit},
    output::{Output, object},
};

const HELP: &str = "\
Prints {\"can_continue\", \"terminal_reason\", \"iteration\", \"llm_call_count\", \"agent_hop_count\"}. An \
envelope can continue when it has not ended, waits for no answer that it does not hold, and has reached no \
bound of its own. One whose durable run waits for an answer (metadata.waits) cannot. Exits with 0 either way.

Examples:
  consign envelope can-continue envelope.json
  consign envelope can-continue < envelope.json | jq .can_continue";

#[derive(clap::Args)]
#[command(after_help = HELP)]
pub(super) struct Args {
    /// The envelope; `-` or nothing reads standard input
    #[arg(default_value = "-")]
    file: PathBuf,
}

pub(super) fn run(args: &Args, output: &mut Output) -> Result<Exit, Error> {
    let mut envelope = envelope(&args.file)?;
    fill(&mut envelope, now());
    let told = |member: Option<Json<'static>>| member.unwrap_or_default();
    output.object(object([
        ("can_continue", Json::Bool(can_continue(&envelope))),
        ("terminal_reason", told(envelope.terminal_reason.write_member())),
        ("iteration", told(envelope.iteration.write_member())),
        ("llm_call_count", told(envelope.llm_call_count.write_member())),
        ("agent_hop_count", told(envelope.agent_hop_count.write_member())),
    ]))?;
    Ok(Exit::Done)
}

fn can_continue(envelope: &Envelope) -> bool {
    let within = |now: &Option<_>, most: &Option<_>, usual| {
        number(now.as_ref(), 0) < number(most.as_ref(), usual)
    };
    let unanswered = |pending: Option<bool>, answered: bool| pending == Some(true) && !answered;
    let clarified = matches!(envelope.clarification_response, Some(Nullable(Some(_))));
    let confirmed = matches!(envelope.confirmation_response, Some(Nullable(Some(_))));
    !envelope.terminated
        && !has_waits(envelope)
        && !unanswered(envelope.clarification_pending, clarified)
        && !unanswered(envelope.confirmation_pending, confirmed)
        && number(envelope.iteration.as_ref(), 0) <= number(envelope.max_iterations.as_ref(), 3)
        && within(&envelope.llm_call_count, &envelope.max_llm_calls, 10)
        && within(&envelope.agent_hop_count, &envelope.max_agent_hops, 21)
}
