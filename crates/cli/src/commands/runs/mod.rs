//! `consign runs …`: starts runs, follows them, answers them, proves what they did.

pub(super) mod agent_overrides;
mod answer;
mod approve;
mod cancel;
pub(super) mod document;
mod example;
pub(super) mod foreground;
mod fork;
pub(super) mod form;
mod journey;
pub(super) mod limits;
mod list;
mod logs;
mod onward;
mod output;
mod phases;
mod picture;
pub(super) mod placement_args;
mod points;
mod raise;
mod redact;
pub(super) mod report;
mod resume;
mod retry;
mod show;
mod signal;
pub(super) mod start;
mod timeline;
mod tour;
mod verify;
pub(super) mod waits;
mod watch;

pub(super) use consign_app::runs::find;
pub(super) use limits::usd as amount_arg;
pub(super) use start::owner as owner_arg;
pub(super) use tour::{tour, tour_of_pipeline};

use clap::Subcommand;

use crate::{
    error::{Error, Exit},
    output::Output,
};

const HELP: &str = "\
A run is one durable execution of a workflow. Whatever it has recorded is never done again, \
however often the machine goes down. RUN is a run's id, or the first letters of it (at least four).

A run that was started without --detach belongs to its command while that lives. Once the command is gone \
and the run is answered, raised, signalled or past a deadline, any worker or server of the same directory \
continues it, unless it was started with --here-only. A run that was interrupted in the middle waits for \
`consign runs resume`. With --detach a run belongs to the workers (`consign worker`).

Examples:
  consign runs start sample/steps --input '{\"steps\": 3}'
  consign runs list --status waiting
  consign runs show 7h2k
  consign runs output 7h2k
  consign runs logs 7h2k
  consign runs approve 7h2k
  consign runs retry 7h2k --from plan
  consign runs verify 7h2k";

#[derive(clap::Args)]
#[command(after_help = HELP)]
pub(crate) struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Start a run of a workflow, here or for the workers
    Start(start::Args),
    /// Go on here with a run that was stopped
    Resume(resume::Args),
    /// Runs, newest first
    List(list::Args),
    /// Everything about one run
    Show(show::Args),
    /// Follow a run until it ends
    Watch(watch::Args),
    /// What a run came to, and nothing else
    Output(output::Args),
    /// What the programs of a run wrote to standard error
    Logs(logs::Args),
    /// Answer what a run asks
    Answer(answer::Args),
    /// Say yes to what a run asks a person to approve
    Approve(approve::Approve),
    /// Say no to what a run asks a person to approve
    Reject(approve::Reject),
    /// Send a run something that its workflow takes without asking
    Signal(signal::Args),
    /// Allow a run to use more
    Raise(raise::Args),
    /// End a run
    Cancel(cancel::Args),
    /// Erase what a run that is over has said and heard
    Redact(redact::Args),
    /// Begin a new run just before what failed in another one
    Retry(retry::Args),
    /// Begin a new run where another one stood
    Fork(fork::Args),
    /// The places from which a run can be forked
    Points(points::Args),
    /// Prove that a run's journal is whole and its state follows from it
    Verify(verify::Args),
}

impl Args {
    /// The exit code when the reader closes the pipe. A proof that was not read to the end is none.
    pub(crate) fn when_cut_off(&self, ended: Option<Exit>) -> Exit {
        match &self.command {
            Command::List(_)
            | Command::Show(_)
            | Command::Watch(_)
            | Command::Output(_)
            | Command::Logs(_)
            | Command::Points(_) => ended.unwrap_or(Exit::Done),
            Command::Verify(_) => Exit::Failed,
            Command::Start(_) | Command::Resume(_) | Command::Retry(_) | Command::Fork(_) => {
                ended.unwrap_or(Exit::Failed)
            }
            // Nothing is written before it was taken.
            Command::Answer(_)
            | Command::Approve(_)
            | Command::Reject(_)
            | Command::Signal(_)
            | Command::Raise(_)
            | Command::Cancel(_)
            | Command::Redact(_) => ended.unwrap_or(Exit::Taken),
        }
    }
}

pub(crate) fn run(args: &Args, output: &mut Output) -> Result<Exit, Error> {
    match &args.command {
        Command::Start(args) => start::run(args, output),
        Command::Resume(args) => resume::run(args, output),
        Command::List(args) => list::run(args, output),
        Command::Show(args) => show::run(args, output),
        Command::Watch(args) => watch::run(args, output),
        Command::Output(args) => output::run(args, output),
        Command::Logs(args) => logs::run(args, output),
        Command::Answer(args) => answer::run(args, output),
        Command::Approve(args) => approve::approve(args, output),
        Command::Reject(args) => approve::reject(args, output),
        Command::Signal(args) => signal::run(args, output),
        Command::Raise(args) => raise::run(args, output),
        Command::Cancel(args) => cancel::run(args, output),
        Command::Redact(args) => redact::run(args, output),
        Command::Retry(args) => retry::run(args, output),
        Command::Fork(args) => fork::run(args, output),
        Command::Points(args) => points::run(args, output),
        Command::Verify(args) => verify::run(args, output),
    }
}
