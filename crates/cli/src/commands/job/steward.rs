//! `consign job advise`, `approve` and `reject`: what a person says to a job.

use consign_app::jobs::{self, Advice, AgentSource, OpenJob, Pace, Purpose};

use super::{drive::go_on, place::PlaceArgs, status};
use crate::{
    engine::{Session, session},
    error::{Error, Exit},
    output::{GOOD, Output, styled},
};

const ADVISE_HELP: &str = "\
Advice goes into the next prompt, and the role that was stuck goes on. A worker goes on in the workspace as it is, \
or with --reset from the phase's starting workspace; a stuck supervisor goes on with its review, or with --reset the \
worker begins anew. --halt cancels the job instead.

Examples:
  consign job advise site \"Use plain HTML.\"
  consign job advise site \"Begin again, with tests first.\" --reset --run
  consign job advise site --halt";

const APPROVE_HELP: &str = "\
Examples:
  consign job approve site --run";

const REJECT_HELP: &str = "\
Examples:
  consign job reject site \"The footer is missing.\" --run";

#[derive(clap::Args)]
#[command(after_help = ADVISE_HELP)]
pub(crate) struct AdviseArgs {
    #[command(flatten)]
    place: PlaceArgs,

    /// What you advise
    #[arg(value_name = "TEXT", required_unless_present = "halt")]
    text: Option<String>,

    /// Begin the phase from its starting workspace
    #[arg(long, conflicts_with = "halt")]
    reset: bool,

    /// Cancel the job instead
    #[arg(long, conflicts_with = "text")]
    halt: bool,

    /// Drive the job on here
    #[arg(long)]
    run: bool,
}

#[derive(clap::Args)]
#[command(after_help = APPROVE_HELP)]
pub(crate) struct ApproveArgs {
    #[command(flatten)]
    place: PlaceArgs,

    /// Drive the job on here
    #[arg(long)]
    run: bool,
}

#[derive(clap::Args)]
#[command(after_help = REJECT_HELP)]
pub(crate) struct RejectArgs {
    #[command(flatten)]
    place: PlaceArgs,

    /// Why
    #[arg(value_name = "TEXT")]
    why: String,

    /// Drive the job on here
    #[arg(long)]
    run: bool,
}

pub(crate) fn advise(args: &AdviseArgs, output: &mut Output) -> Result<Exit, Error> {
    session(async |session| {
        let job = args.place.open(session, Purpose::Change, output).await?;
        match (&args.text, args.halt) {
            (_, true) | (None, _) => jobs::halt(session, &job, &session.user).await?,
            (Some(text), false) => {
                let advice = Advice { text: text.clone(), reset: args.reset };
                jobs::advise(session, &job, &advice, &session.user).await?;
            }
        }
        let told = if args.halt { "halted" } else { "advised" };
        onward(session, &args.place, &job, told, args.run && !args.halt, output).await
    })
}

pub(crate) fn approve(args: &ApproveArgs, output: &mut Output) -> Result<Exit, Error> {
    session(async |session| {
        let job = args.place.open(session, Purpose::Change, output).await?;
        jobs::approve(session, &job, &session.user).await?;
        onward(session, &args.place, &job, "approved", args.run, output).await
    })
}

pub(crate) fn reject(args: &RejectArgs, output: &mut Output) -> Result<Exit, Error> {
    session(async |session| {
        let job = args.place.open(session, Purpose::Change, output).await?;
        jobs::reject(session, &job, &args.why, &session.user).await?;
        onward(session, &args.place, &job, "rejected", args.run, output).await
    })
}

/// What was said is taken; drives the job on if that is wished, else says how it stands.
pub(super) async fn onward(
    session: &Session,
    place: &PlaceArgs,
    job: &OpenJob,
    told: &str,
    drives: bool,
    output: &mut Output,
) -> Result<Exit, Error> {
    output.tell(format!("{} {}", styled(GOOD, told), job.place.job_id));
    let job = place.open(session, Purpose::Look, output).await?;
    if drives {
        let agents = AgentSource::default();
        return go_on(session, place, &job, Pace::Free, &agents, output).await;
    }
    status::short(session, &job, output).await?;
    Ok(Exit::Done)
}
