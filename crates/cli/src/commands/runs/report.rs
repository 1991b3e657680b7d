//! One run with everything that belongs to it, and how it ended.

use consign_app::view;
pub(crate) use consign_app::view::End;
use consign_contracts::json::{Json, Object};
use consign_engine::{
    Certificate, Data, Seq, Status,
    journal::{Body, Created},
    store::{Interaction, Row},
};
use consign_pipeline::{ENVELOPE, Journey, envelope, result};

use super::{
    foreground::Ended,
    timeline::{self, because},
    waits,
};
use crate::{
    commands::answer::{self, Form},
    engine::Session,
    error::{Error, Exit},
    output::{Audience, FAINT, GOOD, Output, WARN, printable, styled},
    text::{count, ended as how_ended},
};

/// How a run ended, if it has and that can still be read.
pub(crate) async fn end(session: &Session, row: &Row) -> Result<Option<End>, Error> {
    Ok(view::end(&session.engine, row).await?)
}

/// How a run began, if that can still be read.
pub(crate) async fn beginning(session: &Session, row: &Row) -> Result<Option<Created>, Error> {
    Ok(view::beginning(&session.engine, row).await?)
}

/// A run with its certificate, limits, end and waits, for programs.
pub(crate) async fn whole(
    session: &Session,
    row: &Row,
    asks: &[Interaction],
) -> Result<Object<'static>, Error> {
    Ok(view::whole(&session.engine, row, asks).await?)
}

/// `up to 9 calls, at most $0.05`: what is told when a run begins.
pub(crate) fn expected(certificate: &Certificate) -> String {
    let calls = certificate.calls.map_or("any number of calls".to_owned(), |calls| {
        format!("up to {}", count(calls, "call"))
    });
    match (certificate.cost, certificate.unmetered) {
        (Some(cost), false) => format!("{calls}, at most ${cost}"),
        (Some(cost), true) => format!("{calls}; none begins once ${cost} is spent"),
        (None, true) => format!("{calls}; what they cost is not known before"),
        (None, false) => format!("{calls}, at any cost"),
    }
}

/// `at most $0.3 and 9 calls (retries included, attempts lost to crashes not), bounded by structure`
pub(crate) fn certificate(certificate: &Certificate) -> String {
    let cost = certificate.cost.map_or("any amount".to_owned(), |cost| format!("${cost}"));
    let calls = certificate.calls.map_or("any number of calls".to_owned(), |calls| {
        format!("{} (retries included, attempts lost to crashes not)", count(calls, "call"))
    });
    let bounded_by = match certificate.bounded_by {
        consign_engine::BoundedBy::Structure => "structure",
        consign_engine::BoundedBy::Cap => "cap",
    };
    if certificate.unmetered {
        return match certificate.cost {
            Some(cost) => format!(
                "at most {calls}; some are unmetered, so what they cost is not known, and nothing that is paid \
                 begins beyond ${cost}"
            ),
            None => format!("at most {calls}; some are unmetered, so what they cost is not known"),
        };
    }
    format!("at most {cost} and {calls}, bounded by {bounded_by}")
}

/// A note about calls without a known price.
async fn unpriced(session: &Session, row: &Row) -> String {
    match session.engine.usage(&row.id).await {
        Ok((_, usage)) if usage.unmetered > 0 => {
            format!(", {} unmetered", count(usage.unmetered, "call"))
        }
        Ok(_) | Err(_) => String::new(),
    }
}

/// Notes on the newest events that the user should not miss: another model answered than the first.
async fn fallbacks(session: &Session, row: &Row) -> Vec<String> {
    let from = Seq(row.seq.0.saturating_sub(LOOKED_AT));
    let events = session.store().events(&row.id, from, LOOKED_AT as usize + 1).await;
    let events = events.unwrap_or_default();
    let told = events.iter().filter_map(|record| {
        let Ok(Some(Body::CallCompleted(call))) = record.body() else { return None };
        let used = call.used?;
        let used = used.shown();
        let left = used.get("fell_back_from")?.as_array()?;
        let left: Vec<_> = left
            .iter()
            .filter_map(|left| {
                Some(format!("{} ({})", left.get("model")?.as_str()?, left.get("code")?.as_str()?))
            })
            .collect();
        let by = used.get("model").and_then(Json::as_str).unwrap_or_default();
        Some(format!("{} was answered by {by}, after {}", call.key, left.join(", ")))
    });
    told.take(5).collect()
}

/// The last lines on standard error of the program that failed, so that its author can fix it.
async fn last_words(session: &Session, row: &Row) -> Vec<String> {
    let from = Seq(row.seq.0.saturating_sub(4));
    let events = session.store().events(&row.id, from, 5).await.unwrap_or_default();
    let words = events.iter().rev().map(timeline::last_words);
    words.into_iter().find(|words| !words.is_empty()).unwrap_or_default()
}

/// How many of the newest events are looked at.
const LOOKED_AT: u64 = 64;

/// Tells where a run was left: an object for programs; for people its output or what it waits for.
pub(crate) async fn print(
    session: &Session,
    ended: &Ended,
    output: &mut Output,
) -> Result<(), Error> {
    let (row, asks) = match ended {
        Ended::Closed(row) | Ended::Stopped(row, _) => (row, &[][..]),
        Ended::Waiting(row, asks) => (row, asks.as_slice()),
    };
    if output.reader == Audience::Program {
        return Ok(output.object(whole(session, row, asks).await?)?);
    }
    let (run, spent) = (&row.id, row.figures.spent);
    match ended {
        Ended::Closed(row) => {
            let good = row.status == Status::Succeeded;
            let status = styled(if good { GOOD } else { WARN }, row.status);
            output.tell(format!("{run} {status}, ${spent} spent{}", unpriced(session, row).await));
            for line in fallbacks(session, row).await {
                output.tell(styled(WARN, printable(&line)));
            }
            match end(session, row).await? {
                Some(End::Succeeded(end)) if row.workflow == ENVELOPE => {
                    came_to(&end, output)?;
                    if let Some(why) = short_of(session, row, &end).await {
                        output.tell(format!("note: {}", printable(&why)));
                    }
                }
                Some(End::Succeeded(end)) => print_data(&end, output)?,
                Some(End::Failed(_) | End::Cancelled { .. }) | None => {}
            }
        }
        Ended::Waiting(..) => {
            output.tell(format!("{run} {}, ${spent} spent", styled(WARN, "waits")));
            waits::print(session, row, asks, session.engine.now(), output).await?;
        }
        Ended::Stopped(row, _) => {
            output.tell(format!("{run} is left {}", styled(WARN, row.status)));
            output.tell(styled(FAINT, format!("go on with: consign runs resume {run}")));
        }
    }
    Ok(())
}

/// Why a run that is not at its pipeline's end stopped elsewhere than after the stage that it was to stop after.
async fn short_of(session: &Session, row: &Row, end: &Data) -> Option<String> {
    if end.shown().get("terminated").and_then(Json::as_bool) == Some(true) {
        return None;
    }
    let state = session.engine.state(&row.id).await.ok()?;
    state.to::<Journey>().ok()?.short_of()
}

/// What a pipeline came to: what its last stage gave. `--json` has the whole envelope.
pub(super) fn came_to(end: &Data, output: &mut Output) -> Result<(), Error> {
    let envelope = envelope::read_again(end);
    for fallback in envelope.as_ref().map(answer::fallbacks).unwrap_or_default() {
        output.tell(format!("{} {fallback}", styled(WARN, "fell back:")));
    }
    match envelope.as_ref().ok().and_then(result) {
        Some((_, result)) => answer::print(&result, Form::Text, output),
        None => print_data(end, output),
    }
}

/// JSON as it is in a pipe, and laid out for people.
pub(crate) fn print_data(data: &Data, output: &mut Output) -> Result<(), Error> {
    match output.reader {
        Audience::Person => {
            for line in format!("{:#}", data.shown()).lines() {
                output.line(printable(line))?;
            }
        }
        Audience::Pipe | Audience::Program => output.line(data.shown().to_string())?,
    }
    Ok(())
}

/// What a command exits with that was to bring the run to its end.
pub(crate) async fn verdict(session: &Session, ended: &Ended) -> Result<Exit, Error> {
    match ended {
        Ended::Closed(row) => match unhappy(session, row).await? {
            Some(error) => Err(error),
            None => Ok(Exit::Done),
        },
        Ended::Waiting(_, asks) => Ok(waits::exit(asks)),
        Ended::Stopped(_, exit) => Ok(*exit),
    }
}

/// The error that a run ended with, unless it succeeded.
pub(crate) async fn unhappy(session: &Session, row: &Row) -> Result<Option<Error>, Error> {
    let hint = format!("`consign runs show {}` shows what led to it", row.id);
    let error = match (end(session, row).await?, row.status) {
        (Some(End::Failed(fault)), _) => {
            Error::from(&fault).listing(last_words(session, row).await)
        }
        (Some(End::Cancelled { by, reason }), _) => {
            let why = because(reason.as_deref());
            Error::new("CANCELLED", format!("run {} was cancelled by {by}{why}", row.id))
        }
        (None, Status::Failed | Status::Cancelled) => {
            let code = if row.status == Status::Failed { "FAILED" } else { "CANCELLED" };
            Error::new(code, format!("run {} {}", row.id, how_ended(row.status)))
        }
        (Some(End::Succeeded(_)) | None, _) => return Ok(None),
    };
    Ok(Some(error.about(row.id.as_str()).hint_too(hint)))
}
