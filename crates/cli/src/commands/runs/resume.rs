//! `consign runs resume RUN`: goes on here with a run that was stopped.

use consign_app::foreground::Foreground;

use super::{
    find,
    foreground::{go_on, stranded},
    report,
};
use crate::{
    engine::session,
    error::{Error, Exit},
    output::Output,
    text::ended,
};

const HELP: &str = "\
Takes the run, whichever command started it, unless a living worker holds it, and drives it here as `runs \
start` does. What is recorded is not done again. A call that a dead process had begun is asked \
about, repeated, or put to you, as its agent allows.

Exits like `consign runs start`.

Examples:
  consign runs resume 7h2k
  consign runs resume 7h2kq0m4v9xw3d1z --json";

#[derive(clap::Args)]
#[command(after_help = HELP)]
pub(crate) struct Args {
    /// The run, or the first letters of its id
    run: String,
}

pub(crate) fn run(args: &Args, output: &mut Output) -> Result<Exit, Error> {
    session(async |session| {
        let row = find(&session.engine, &args.run).await?;
        if row.status.is_closed() {
            let told = format!("run {} is over: it {}", row.id, ended(row.status));
            return Err(Error::new("INVALID_STATE", told)
                .hint(format!("`consign runs show {}` shows how it ended", row.id)));
        }
        let mut foreground = Foreground::new(&session.engine).await?;
        let drive = foreground.take(&row.id).await;
        let drive = drive.map_err(|error| Error::from(error).about(row.id.as_str()))?;
        let ended = go_on(session, &mut foreground, &row.id, Some(drive), output, false).await;
        let ended = ended.map_err(|error| stranded(error, &row.id))?;
        report::print(session, &ended, output).await?;
        report::verdict(session, &ended).await
    })
}
