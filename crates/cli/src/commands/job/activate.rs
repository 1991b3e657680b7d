//! `consign job activate DIR`: lets a job begin.

use consign_app::jobs::{self, Activate, Purpose};

use super::{place::PlaceArgs, status};
use crate::{
    engine::session,
    error::{Error, Exit},
    output::Output,
};

const HELP: &str = "\
The job is PENDING then. `job run` or `job step` goes on with it here; with --detach workers and servers of this \
home do.

Examples:
  consign job activate site
  consign job activate site --detach";

#[derive(clap::Args)]
#[command(after_help = HELP)]
pub(crate) struct Args {
    #[command(flatten)]
    place: PlaceArgs,

    /// Leave it to the workers
    #[arg(long)]
    detach: bool,
}

pub(crate) fn run(args: &Args, output: &mut Output) -> Result<Exit, Error> {
    session(async |session| {
        let job = args.place.open(session, Purpose::Change, output).await?;
        let how = if args.detach { Activate::Detached } else { Activate::Paused };
        jobs::activate(session, &job, how, &session.user).await?;
        let job = args.place.open(session, Purpose::Look, output).await?;
        status::short(session, &job, output).await?;
        Ok(Exit::Done)
    })
}
