//! `consign job cancel DIR`: ends a job.

use consign_app::jobs::{self, Purpose};

use super::{place::PlaceArgs, status};
use crate::{
    engine::session,
    error::{Error, Exit},
    output::Output,
};

const HELP: &str = "\
The directory stays as it is, and the job can be restored to any of its recovery points.

Examples:
  consign job cancel site";

#[derive(clap::Args)]
#[command(after_help = HELP)]
pub(crate) struct Args {
    #[command(flatten)]
    place: PlaceArgs,
}

pub(crate) fn run(args: &Args, output: &mut Output) -> Result<Exit, Error> {
    session(async |session| {
        // Also a job that another process drives: that process closes it.
        let job = args.place.open(session, Purpose::Look, output).await?;
        jobs::cancel(session, &job, &session.user).await?;
        let job = args.place.open(session, Purpose::Look, output).await?;
        status::short(session, &job, output).await?;
        Ok(Exit::Done)
    })
}
