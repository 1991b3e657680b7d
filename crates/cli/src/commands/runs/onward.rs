//! Goes on with a run after something was delivered to it: here, if it belongs to the command line and has
//! no holder. Otherwise it is left to the workers.

use consign_app::{
    foreground::Foreground,
    next::{Next, is_foreground, next},
};
use consign_contracts::json::Json;
use consign_engine::{Placement, RunId, store::Row};

use super::{
    foreground::{self, Ended},
    form, report, waits,
};
use crate::{
    engine::Session,
    error::{Error, Exit},
    output::{Audience, Output, printable},
};

/// Goes on if it may, after something was `taken`. Only a signal or a broken engine is a failure.
pub(super) async fn onward(
    session: &Session,
    run: &RunId,
    taken: &str,
    may: bool,
    output: &mut Output,
) -> Result<Exit, Error> {
    let went = go_on(session, run, may, output).await;
    // What cannot be written must not look like a refusal either.
    let written = output.finish();
    match (went, written) {
        (Ok(exit), Err(error)) if error.is_broken_pipe() => Ok(exit),
        (Ok(exit), Ok(())) => Ok(exit),
        (Err(error), _) | (Ok(_), Err(error)) => Err(although(error, taken, run)),
    }
}

/// An error after a delivery was taken for good. It must not look as if the delivery had been refused.
pub(super) fn although(error: Error, taken: &str, run: &RunId) -> Error {
    let mut error = error
        .hint_too(format!("do not repeat it: `consign runs resume {run}` goes on"))
        .detail("taken", Json::Bool(true))
        .detail("run", form::text(run));
    error.message = format!("{taken}, and going on with run {run} failed: {}", error.message);
    error.exit = Exit::Taken;
    error
}

async fn go_on(
    session: &Session,
    run: &RunId,
    may: bool,
    output: &mut Output,
) -> Result<Exit, Error> {
    let row = session.store().row(run).await?;
    let here = session.engine.home_of(&row.workflow).is_none();
    let ours = here && is_foreground(&row) && row.worker.is_none();
    if !(may && ours) || row.status.is_closed() {
        leave(session, &row, output).await?;
        return Ok(Exit::Done);
    }
    let mut foreground = Foreground::new(&session.engine).await?;
    let ended = foreground::go_on(session, &mut foreground, run, None, output, false).await?;
    report::print(session, &ended, output).await?;
    match &ended {
        Ended::Closed(row) => {
            if let Some(error) = report::unhappy(session, row).await? {
                output.tell(format!("{}: {}", printable(&error.code), printable(&error.message)));
            }
            Ok(Exit::Done)
        }
        Ended::Waiting(..) => Ok(Exit::Done),
        Ended::Stopped(_, exit) => Ok(*exit),
    }
}

/// Says who goes on with it.
async fn leave(session: &Session, row: &Row, output: &mut Output) -> Result<(), Error> {
    if output.reader == Audience::Program {
        let asks = waits::open(session, &row.id).await?;
        return Ok(output.object(report::whole(session, row, &asks).await?)?);
    }
    let (run, status) = (&row.id, row.status);
    let next = match next(&session.engine, row).await? {
        Next::Over => "it is over".to_owned(),
        Next::External(command) => {
            format!("its state is kept in its project; continue with: {}", printable(&command))
        }
        Next::HeldBy(worker) => format!("{worker} continues it"),
        Next::NeedsResume => format!("continue it with: consign runs resume {run}"),
        Next::Waits if row.placement == Placement::HereOnly => {
            format!("continue it with: consign runs resume {run}")
        }
        Next::Waits => format!("see what for: consign runs show {run}"),
        Next::Queued => format!(
            "a worker or server continues it (`consign worker`), or: consign runs resume {run}"
        ),
    };
    output.tell(format!("{run} is {status}; {next}"));
    Ok(())
}
