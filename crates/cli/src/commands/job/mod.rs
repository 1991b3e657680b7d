//! `consign job …`: work in phases, done by a worker, reviewed by a supervisor, helped on by a person.

mod activate;
mod add;
mod adopt;
mod cancel;
mod drive;
mod history;
mod list;
mod metrics;
mod new;
mod place;
mod preview;
mod progress;
mod raise;
mod replay;
mod restore;
mod status;
mod steward;

use clap::Subcommand;
use consign_contracts::json::Json;
use consign_engine::Data;
use serde_json::Value;

use crate::{
    error::{Error, Exit},
    output::Output,
};

const HELP: &str = "\
A job is a directory that you can read: job_manifest.json says how it stands, jobHistory.json what was said, \
audit.log what broke the protocol, and workspace/ is where the work is done. DIR is a path, or a name below \
--jobs-dir (CONSIGN_JOBS_DIR, else `jobs` in the home).

Roles are agents: roles/NAME.toml in the job's directory, in --roles, or in the home. Without such a file a role \
is the model of the settings.

A job halts at its thresholds (1000 cents and 60 minutes of work unless you say otherwise), and waits for you when \
an agent is stuck: `job advise` helps it on, `job raise` lets it use more.

Exit codes of run and step: 0 the job succeeded (step: the interaction was made), 42 it waits for an agent outside, \
43 for a person or a higher threshold, 1 it was canceled or failed.

Examples:
  consign job new site --objective \"Build a small web site\"
  consign job add site brief.md
  consign job activate site
  consign job run site
  consign job advise site \"Use plain HTML.\" --run
  consign job history site
  consign job restore site --point phase-1-complete";

#[derive(clap::Args)]
#[command(after_help = HELP)]
pub(crate) struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Make a job: its directory, its workspace, and its run, which waits to be activated
    New(new::Args),
    /// Copy files into the workspace; they go with every request
    Add(add::Args),
    /// Let a job begin
    Activate(activate::Args),
    /// Drive a job here, to the next stop
    Run(drive::RunArgs),
    /// Make one interaction
    Step(drive::StepArgs),
    /// The exact request that would be sent next; nothing is sent or spent
    Preview(preview::Args),
    /// How a job stands, and what it asks
    Status(status::Args),
    /// The jobs of this home, newest first
    List(list::Args),
    /// What was said, interaction by interaction
    History(history::Args),
    /// Work out every transition and judgement again, and hold the files against the journal
    Replay(replay::Args),
    /// Put a job back to a recovery point
    Restore(restore::RestoreArgs),
    /// Put a job back to the beginning of a phase
    Rerun(restore::RerunArgs),
    /// Help on a role that is stuck, or halt the job
    Advise(steward::AdviseArgs),
    /// Accept the end of a job that needs approval
    Approve(steward::ApproveArgs),
    /// Send the last phase back, with a reason
    Reject(steward::RejectArgs),
    /// Set higher thresholds
    Raise(raise::Args),
    /// End a job
    Cancel(cancel::Args),
    /// Take over what you changed in job_manifest.json
    Adopt(adopt::Args),
    /// What a job has used
    Metrics(metrics::Args),
}

pub(crate) fn run(args: &Args, output: &mut Output) -> Result<Exit, Error> {
    match &args.command {
        Command::New(args) => new::run(args, output),
        Command::Add(args) => add::run(args, output),
        Command::Activate(args) => activate::run(args, output),
        Command::Run(args) => drive::run(args, output),
        Command::Step(args) => drive::step(args, output),
        Command::Preview(args) => preview::run(args, output),
        Command::Status(args) => status::run(args, output),
        Command::List(args) => list::run(args, output),
        Command::History(args) => history::run(args, output),
        Command::Replay(args) => replay::run(args, output),
        Command::Restore(args) => restore::restore(args, output),
        Command::Rerun(args) => restore::rerun(args, output),
        Command::Advise(args) => steward::advise(args, output),
        Command::Approve(args) => steward::approve(args, output),
        Command::Reject(args) => steward::reject(args, output),
        Command::Raise(args) => raise::run(args, output),
        Command::Cancel(args) => cancel::run(args, output),
        Command::Adopt(args) => adopt::run(args, output),
        Command::Metrics(args) => metrics::run(args, output),
    }
}

/// Writes a JSON object for programs.
fn write(output: &mut Output, value: &Value) -> Result<(), Error> {
    let data = Data::of(value);
    if let Json::Object(object) = data.shown() {
        output.object(object)?;
    }
    Ok(())
}
