//! `consign trace --stream`: a payload in each line, a result in each line, in the order of the input.
//!
//! Every line is a job of its own, as durable as any. Several are worked on at once; a line that is refused spoils only
//! itself. After a signal no further line is begun, and those under way are finished.

use std::{cell::RefCell, path::Path, pin::pin, thread, time::Duration};

use consign_app::{
    agent_jobs::AgentType,
    foreground::{Ended, Foreground, Unobserved},
};
use consign_contracts::json::{self, Json, Limits};
use consign_engine::{RunId, Status};
use futures_util::{Stream, StreamExt, stream};
use tokio::sync::mpsc;

use super::{Args, JobMaker, job};
use crate::{
    commands::runs::{foreground::stranded, form, report},
    engine::{Session, session},
    error::{Error, Exit},
    input::{Line, Source, next_line},
    output::{Output, object, printable},
    signals::Signals,
};

/// How long what is under way may go on after the first signal.
const GRACE: Duration = Duration::from_secs(10);

/// What was read, with the number of its line.
type Numbered = (u64, Result<Line, Error>);

pub(super) fn run(args: &Args, output: &mut Output) -> Result<Exit, Error> {
    let framework = args.framework(output)?;
    let source = Source::of(args.file.as_deref().unwrap_or(Path::new("-")));
    let lines = lines(&source)?;
    session(async |session| {
        let maker = JobMaker::new(session, AgentType::Trace, &args.job, framework).await?;
        work(session, &maker, lines, usize::from(args.at_once), output).await
    })
}

async fn work(
    session: &Session,
    maker: &JobMaker<'_>,
    lines: mpsc::Receiver<Numbered>,
    at_once: usize,
    output: &mut Output,
) -> Result<Exit, Error> {
    let signals = Signals::listen(GRACE)?;
    let seats = RefCell::new(Vec::new());
    let (seats, signals) = (&seats, &signals);
    let results = until_stopped(lines, signals).map(|(number, line)| async move {
        let result = match line {
            Ok(line) => result(session, maker, line, seats, signals).await,
            Err(error) => Err(error),
        };
        (number, result)
    });
    let mut results = pin!(results.buffered(at_once));
    let mut exit = Exit::Done;
    while let Some((number, result)) = results.next().await {
        match result {
            Ok(result) => output.line(result.to_string())?,
            // It is not refused: it was not brought to its end.
            Err(error) if error.code == "STOPPED" => {
                output.warn(format!("line {number}: {}", error.message));
                continue;
            }
            Err(error) => {
                output.line(refusal(&error).to_string())?;
                let told = printable(&error.message);
                output.tell(format!("line {number}: {}: {told}", error.code));
                exit = Exit::Failed;
            }
        }
        // A caller that waits for a result before it sends the next line must get it now.
        output.finish()?;
    }
    Ok(signals.exit().unwrap_or(exit))
}

/// Lines until there are no more, or until a signal came.
fn until_stopped(
    lines: mpsc::Receiver<Numbered>,
    signals: &Signals,
) -> impl Stream<Item = Numbered> {
    let stop = signals.stop.clone();
    stream::unfold((lines, stop), |(mut lines, mut stop)| async {
        let next = tokio::select! {
            biased;
            _ = stop.changed() => None,
            next = lines.recv() => next,
        };
        Some((next?, (lines, stop)))
    })
}

/// What one line comes to.
async fn result(
    session: &Session,
    maker: &JobMaker<'_>,
    line: Line,
    seats: &RefCell<Vec<Foreground>>,
    signals: &Signals,
) -> Result<Json<'static>, Error> {
    let malformed = |why: json::Malformed| invalid(&why.to_string());
    let bytes = match line {
        Line::Bytes(bytes) => bytes,
        Line::TooLarge(why) => return Err(malformed(why)),
    };
    let document = json::parse(&bytes).map_err(malformed)?;
    let kind = document.kind();
    let Json::Object(payload) = document else {
        return Err(invalid(&format!("a payload is a JSON object, not {kind}")));
    };
    let free = seats.borrow_mut().pop();
    let mut seat = match free {
        Some(seat) => seat,
        None => Foreground::new(&session.engine).await?,
    };
    let (submitted, drive) = maker.begin(&mut seat, payload).await?;
    let run = RunId::from(submitted.job_id.as_str());
    let ended = seat.go_on(&run, drive, &signals.stop, &mut Unobserved).await;
    let ended = ended.map_err(|error| stranded(error.into(), &run))?;
    seats.borrow_mut().push(seat);
    match ended {
        Ended::Closed(row) if row.status == Status::Succeeded => {
            Ok(job::completed(session, &row).await?.result)
        }
        Ended::Closed(row) => match report::unhappy(session, &row).await? {
            Some(error) => Err(error),
            None => Err(unfinished(&run, "has no result")),
        },
        Ended::Waiting(..) => {
            Err(unfinished(&run, "waits for an answer; `consign inbox` shows it"))
        }
        Ended::Stopped(_) => {
            let told = format!("stopped; `consign trace --run {run}` goes on and takes its result");
            Err(Error::new("STOPPED", told))
        }
    }
}

/// A line that is no payload, told as the server tells it.
fn invalid(why: &str) -> Error {
    let breach = object([("pointer", form::text("")), ("message", form::text(why))]);
    let breaches = Json::Array(vec![Json::Object(breach)]);
    Error::new("VALIDATION_ERROR", why).detail("breaches", breaches)
}

fn unfinished(run: &RunId, how: &str) -> Error {
    Error::new("UNFINISHED", format!("run {run} {how}")).detail("run", form::text(run))
}

/// `{"error": {"code", "message", "details"?}}`
fn refusal(error: &Error) -> Json<'_> {
    let mut told = object([
        ("code", Json::String(error.code.as_ref().into())),
        ("message", Json::String(error.message.as_str().into())),
    ]);
    if let Some(details) = error.details_for_program() {
        told.set("details", Json::Object(details));
    }
    Json::Object(object([("error", Json::Object(told))]))
}

/// Reads lines on a thread of their own: standard input cannot be waited for beside other things. An empty line is no
/// document.
fn lines(source: &Source) -> Result<mpsc::Receiver<Numbered>, Error> {
    let (send, receiver) = mpsc::channel(1);
    let (name, mut input) = (source.name(), source.open()?);
    thread::spawn(move || {
        for number in 1.. {
            let line = match next_line(&mut input, Limits::default().bytes) {
                Ok(None) => return,
                Ok(Some(Line::Bytes(bytes))) if bytes.trim_ascii().is_empty() => continue,
                Ok(Some(line)) => Ok(line),
                Err(cause) => Err(Error::unreadable(Path::new(&name), &cause)),
            };
            let is_last = line.is_err();
            if send.blocking_send((number, line)).is_err() || is_last {
                return;
            }
        }
    });
    Ok(receiver)
}
