//! `consign runs raise RUN`: sets higher limits.

use consign_app::runs;
use consign_engine::Limits;

use super::{find, limits::LimitArgs, onward::onward, timeline};
use crate::{
    engine::session,
    error::{Error, Exit},
    output::{GOOD, Output, styled},
};

const HELP: &str = "\
Each value is the whole new limit, not what is added to it. Limits only go up.

A run that belongs to the command line goes on here if no other process holds it; a detached one goes on \
with a worker. Exits with 0 when the limits were set, whatever the run does next; with 3 when they \
were set and going on here failed, after which `consign runs resume` goes on; with 1 when they were \
not set.

Examples:
  consign runs raise 7h2k --cost 20
  consign runs raise 7h2k --minutes 90 --calls 500 --no-resume";

#[derive(clap::Args)]
#[command(after_help = HELP)]
pub(crate) struct Args {
    /// The run, or the first letters of its id
    run: String,

    #[command(flatten)]
    limits: LimitArgs,

    /// Leave the run as it is afterwards
    #[arg(long)]
    no_resume: bool,
}

pub(crate) fn run(args: &Args, output: &mut Output) -> Result<Exit, Error> {
    let wanted = args.limits.set();
    if wanted == Limits::default() {
        return Err(Error::usage("USAGE", "which limit?")
            .hint("--cost USD, --minutes N, --calls N: at least one of them"));
    }
    session(async |session| {
        let run = find(&session.engine, &args.run).await?.id;
        let raised = runs::raise(&session.engine, &run, &wanted, &session.user).await;
        raised.map_err(|error| Error::from(error).about(run.as_str()))?;
        let limits = session.engine.usage(&run).await.map_or(wanted, |(limits, _)| limits);
        let limits = timeline::limits(&limits);
        output.tell(format!("{} {run} to {limits}", styled(GOOD, "raised")));
        onward(session, &run, "the new limits were set", !args.no_resume, output).await
    })
}
