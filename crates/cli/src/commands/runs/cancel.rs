//! `consign runs cancel RUN`: ends a run.

use std::time::Duration;

use consign_app::runs;
use consign_engine::{RunId, Status, store::Row};

use super::{
    find,
    foreground::{GRACE, Progress},
    onward::although,
    report,
};
use crate::{
    engine::{Session, session},
    error::{Error, Exit},
    output::{Audience, Output},
    signals::Signals,
};

/// The holder of the run gives its agents ten seconds to stop.
const PATIENCE: Duration = Duration::from_secs(15);
const TAKEN: &str = "the wish to cancel was taken";

const HELP: &str = "\
What is under way is told to stop, its cost is settled, and then the run closes as cancelled. A run \
that a living worker holds is closed by that worker; any other is closed here, at once.

Exits with 0 when the run is cancelled, or will be as soon as its worker gets to it; with 3 when the \
wish was taken and closing the run here failed: the command or worker that goes on with it (`consign runs resume`) \
closes it; with 1 when it is over already.

Examples:
  consign runs cancel 7h2k
  consign runs cancel 7h2k --reason 'wrong branch'";

#[derive(clap::Args)]
#[command(after_help = HELP)]
pub(crate) struct Args {
    /// The run, or the first letters of its id
    run: String,

    /// Why, for the journal
    #[arg(long, value_name = "TEXT")]
    reason: Option<String>,
}

pub(crate) fn run(args: &Args, output: &mut Output) -> Result<Exit, Error> {
    session(async |session| {
        let run = find(&session.engine, &args.run).await?.id;
        let cancelled =
            runs::cancel(&session.engine, &run, args.reason.clone(), &session.user).await;
        cancelled.map_err(|error| Error::from(error).about(run.as_str()))?;
        let closed = close(session, &run, output).await;
        let (row, stopped) = closed.map_err(|error| although(error, TAKEN, &run))?;
        if output.reader == Audience::Program {
            let whole = report::whole(session, &row, &[]).await;
            output.object(whole.map_err(|error| although(error, TAKEN, &run))?)?;
        }
        match row.status {
            Status::Cancelled => {
                output.tell(format!("{run} cancelled, ${} spent", row.figures.spent));
                Ok(Exit::Done)
            }
            Status::Succeeded | Status::Failed => {
                let told = format!("run {run} was faster: it {}", row.status);
                Err(Error::new("INVALID_STATE", told))
            }
            Status::Queued | Status::Running | Status::Waiting => {
                output
                    .tell(format!("{run} is told to stop, and has not yet: it is {}", row.status));
                Ok(stopped.unwrap_or(Exit::Done))
            }
        }
    })
}

/// Closes the run, or waits until the worker that holds it has; with the exit code of a signal that came.
async fn close(
    session: &Session,
    run: &RunId,
    output: &Output,
) -> Result<(Row, Option<Exit>), Error> {
    let signals = Signals::listen(GRACE)?;
    let from = session.store().row(run).await?.seq.next();
    let mut progress = Progress::new(output, from);
    let waits = |row: &Row| {
        if let (Some(worker), Audience::Person) = (&row.worker, output.reader) {
            let most = PATIENCE.as_secs();
            output.tell(format!("waiting up to {most}s for {worker}, which has it, to stop"));
        }
    };
    let row =
        runs::close(&session.engine, run, PATIENCE, &signals.stop, &mut progress, waits).await?;
    let stopped = if row.status.is_closed() { None } else { signals.exit() };
    Ok((row, stopped))
}
