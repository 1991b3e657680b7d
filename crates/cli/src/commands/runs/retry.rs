//! `consign runs retry RUN`: begins a new run just before what failed in another one.

use std::path::PathBuf;

use consign_app::{pipelines, runs};

use super::{
    find,
    fork::{ForkArgs, make},
};
use crate::{
    engine::session,
    error::{Error, Exit},
    output::Output,
};

const HELP: &str = "\
Mend what made the run fail, then retry it: a new run begins just before what failed, with everything that was \
finished. Finished steps are not repeated, also those that ran beside what failed. The other run stays as it is, and \
what it spent is shown as the parent's. A cancelled run can be retried too. With --from the new run begins before \
that stage instead, and repeats what came after it; unsafe calls only with --repeat-unsafe.

A plain retry of run RUN is the run RUN-retry, however often the command is given: to retry once more, retry that run, \
or give another --id.

A run keeps the pipeline and the agents that it began with; the programs that they call are read anew. With \
--pipeline the new run takes both from the file as it is now: stages may change, but those that were finished must \
still be there.

Exits like `consign runs start`.

Examples:
  consign runs retry 7h2k
  consign runs retry 7h2k --from plan
  consign runs retry 7h2k --pipeline release.toml --cost 5";

#[derive(clap::Args)]
#[command(after_help = HELP)]
pub(crate) struct Args {
    /// The run, or the first letters of its id
    run: String,

    /// Begin before this stage or recovery point instead of before what failed
    #[arg(long, value_name = "STAGE")]
    from: Option<String>,

    /// Take pipeline and agents from this file as it is now
    #[arg(long, value_name = "FILE")]
    pipeline: Option<PathBuf>,

    #[command(flatten)]
    into: ForkArgs,
}

pub(crate) fn run(args: &Args, output: &mut Output) -> Result<Exit, Error> {
    session(async |session| {
        let row = find(&session.engine, &args.run).await?;
        let about = |error: consign_app::Error| Error::from(error).about(row.id.as_str());
        let at = runs::retry_at(&session.engine, &row.id, args.from.as_deref()).await;
        let at = at.map_err(about)?;
        let input = match &args.pipeline {
            Some(file) => Some(pipelines::replaced(session, &row, file).await.map_err(about)?),
            None => None,
        };
        make(session, &row, at, input, &args.into, output).await
    })
}
