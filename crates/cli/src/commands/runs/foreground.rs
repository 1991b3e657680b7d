//! Going on with a run here, until it closes, waits for somebody, or is stopped by a signal.
//!
//! A run that waits for nothing but an instant is sat out: nobody else would wake it. One that is
//! taken by another command meanwhile is followed, so that its end is told in any case.

use std::{io::Stderr, time::Duration};

use consign_engine::{
    At, Drive, Error as EngineError, RunId, Seat, Seq, Status, Stop, Submission, Submitted,
    store::{self, Interaction, Refusal, Row, Tick},
};
use tokio::time::{Instant, interval_at, sleep};

use super::{form, picture::Picture, waits};
use crate::{
    engine::Session,
    error::{Error, Exit},
    live::Live,
    output::{FAINT, Output, Reader, printable, styled},
    signals::Signals,
    text::{one_line, span},
};

/// How long what is under way may go on after the first signal.
const GRACE: Duration = Duration::from_secs(10);
/// Shorter runs show no progress; it would only flicker.
const FIRST_DRAWN: Duration = Duration::from_millis(300);
const DRAWN_EVERY: Duration = Duration::from_millis(100);
/// Whoever waits longer is told for how long.
const LONG: Duration = Duration::from_secs(5);
/// Calls that are shown under way.
const SHOWN: usize = 4;

/// Where a run was left.
pub(crate) enum Ended {
    Closed(Row),
    Waiting(Row, Vec<Interaction>),
    /// By a signal.
    Stopped(Row, Exit),
}

/// A seat among the workers, for the runs that this command was given.
pub(crate) struct Foreground<'a> {
    session: &'a Session,
    seat: Seat,
    progress: Progress,
    tick: Tick,
    /// The instant until which the run waits, where that was told.
    told: Option<At>,
}

impl<'a> Foreground<'a> {
    pub(crate) async fn new(session: &'a Session, output: &Output) -> Result<Self, Error> {
        let seat = session.engine.enlist().await?;
        let (progress, tick) = (Progress::new(output), Tick::default());
        Ok(Self { session, seat, progress, tick, told: None })
    }

    /// Makes a run that this seat holds from the start. One that was there already has no drive.
    pub(crate) async fn begin(
        &mut self,
        wanted: Submission,
    ) -> Result<(Submitted, Option<Drive>), Error> {
        match self.seat.begin(wanted.clone()).await {
            Ok((submitted, drive)) => {
                self.progress.from = Some(Seq(0));
                Ok((submitted, Some(drive)))
            }
            Err(EngineError::Store(store::Error::Exists(_))) => {
                Ok((self.session.engine.repeated(&wanted).await?, None))
            }
            Err(error) => Err(error.into()),
        }
    }

    /// Takes a run that nobody holds.
    pub(crate) async fn take(&self, run: &RunId) -> Result<Drive, Error> {
        Ok(self.seat.take(run).await?)
    }

    /// Goes on with a run, from a drive if there is one already.
    pub(crate) async fn go_on(
        &mut self,
        run: &RunId,
        begun: Option<Drive>,
        output: &Output,
    ) -> Result<Ended, Error> {
        // Not before there is something to stop gracefully.
        let signals = Signals::listen(GRACE)?;
        let store = self.session.store();
        // What was before is not counted again: a journal may be long.
        self.progress.from.get_or_insert(store.row(run).await?.seq.next());
        let (mut drive, mut driven) = (begun, false);
        loop {
            if let Some(drive) = drive.take() {
                self.attend(drive, &signals, output).await?;
                driven = true;
            }
            let row = store.row(run).await?;
            if row.status.is_closed() {
                return Ok(Ended::Closed(row));
            }
            if let Some(exit) = signals.exit() {
                return Ok(Ended::Stopped(row, exit));
            }
            let due = match row.status {
                Status::Queued => true,
                Status::Waiting => {
                    let asks = waits::open(self.session, run).await?;
                    // An answer may have come between the two looks.
                    if asks.is_empty() && store.row(run).await?.seq != row.seq {
                        continue;
                    }
                    // Whoever put it aside may have been wrong; once is enough to find out.
                    if !asks.is_empty() || row.wake_at.is_none() && driven {
                        return Ok(Ended::Waiting(row, asks));
                    }
                    row.wake_at.is_none_or(|at| at <= self.session.engine.now())
                }
                Status::Running | Status::Succeeded | Status::Failed | Status::Cancelled => false,
            };
            if due {
                drive = self.take_if_free(run).await?;
            }
            if drive.is_none() {
                self.wait(&row, &signals, output).await?;
            }
        }
    }

    /// The same, or nothing if somebody was faster.
    pub(crate) async fn take_if_free(&self, run: &RunId) -> Result<Option<Drive>, Error> {
        match self.seat.take(run).await {
            Ok(drive) => Ok(Some(drive)),
            Err(EngineError::Store(store::Error::Refused(
                Refusal::Held { .. } | Refusal::Closed,
            ))) => Ok(None),
            Err(error) => Err(error.into()),
        }
    }

    /// Until an instant, a signal, or a word from the store.
    async fn wait(&mut self, row: &Row, signals: &Signals, output: &Output) -> Result<(), Error> {
        let Self { session, progress, tick, told, .. } = self;
        let mut stop = signals.stop.clone();
        let left = row.wake_at.map(|at| at.since(session.engine.now()));
        if let Some(left) = left.filter(|left| *left >= LONG && *told != row.wake_at) {
            *told = row.wake_at;
            output.tell(styled(
                FAINT,
                format!(
                    "waits for {}; Ctrl-C leaves it, and `consign runs resume {}` goes on",
                    span(left),
                    row.id
                ),
            ));
        }
        let over = sleep(left.unwrap_or(Duration::from_secs(1)));
        tokio::pin!(over);
        let draws = left.is_some() && progress.live.is_able();
        let mut drawn = interval_at(Instant::now() + FIRST_DRAWN, DRAWN_EVERY);
        loop {
            tokio::select! {
                now = session.store().changed(*tick) => {
                    *tick = now;
                    break;
                }
                _ = stop.changed() => break,
                () = &mut over => break,
                _ = drawn.tick(), if draws => progress.draw(session, &row.id).await,
            }
        }
        let _ = progress.live.clear();
        // Whoever holds the run may have died.
        self.session.store().reclaim().await?;
        Ok(())
    }

    /// Drives the run as far as it goes, and shows how it gets on.
    async fn attend(
        &mut self,
        drive: Drive,
        signals: &Signals,
        output: &Output,
    ) -> Result<(), Error> {
        let Self { session, seat, progress, .. } = self;
        let run = drive.run().clone();
        let mut stop = signals.stop.clone();
        let attended = seat.attend(drive, signals.stop.clone());
        tokio::pin!(attended);
        let mut tick = interval_at(Instant::now() + FIRST_DRAWN, DRAWN_EVERY);
        loop {
            tokio::select! {
                biased;
                left = &mut attended => {
                    let _ = progress.live.clear();
                    return Ok(left.map(drop)?);
                }
                Ok(()) = stop.changed() => {
                    if *stop.borrow_and_update() == Stop::Drain {
                        let _ = progress.live.clear();
                        output.warn(
                            "stopping after what is under way; press Ctrl-C again to leave at once",
                        );
                    }
                }
                _ = tick.tick(), if progress.live.is_able() => progress.draw(session, &run).await,
            }
        }
    }
}

/// The run is left to whoever takes it next; this is how.
pub(super) fn stranded(error: Error, run: &RunId) -> Error {
    error
        .hint_too(format!("nothing recorded is lost: `consign runs resume {run}` goes on"))
        .detail("run", form::text(run))
}

/// A line or two that show how the run gets on.
struct Progress {
    live: Live<Stderr>,
    picture: Picture,
    /// The next event to take in.
    from: Option<Seq>,
}

impl Progress {
    fn new(output: &Output) -> Self {
        let live = match output.reader {
            Reader::Program => Live::nowhere(),
            Reader::Person | Reader::Pipe => Live::on_stderr(output.color),
        };
        Self { live, picture: Picture::default(), from: None }
    }

    /// Progress that cannot be read or drawn must not stop the run.
    async fn draw(&mut self, session: &Session, run: &RunId) {
        let mut from = self.from.unwrap_or_default();
        while let Ok(page) = session.page(run, from).await {
            let Some(last) = page.last() else { break };
            from = last.seq.next();
            self.from = Some(from);
            page.iter().for_each(|record| self.picture.take(record));
        }
        let mut lines = vec![format!("{run}: {}", self.picture.in_short())];
        let open = self.picture.lines(session.engine.now(), SHOWN);
        lines.extend(open.into_iter().map(|line| format!("  {line}")));
        let saying = session.engine.listen(run).so_far;
        lines.extend(
            saying
                .iter()
                .take(SHOWN)
                .map(|piece| format!("  {}: {}", piece.activity, last_words(&piece.text))),
        );
        let _ = self.live.draw(&lines);
    }
}

/// The end of what an agent has said so far, fit for a line.
fn last_words(text: &str) -> String {
    const MOST: usize = 60;
    let letters = text.chars().count();
    let end: String = text.chars().skip(letters.saturating_sub(MOST)).collect();
    let before = if letters > MOST { "…" } else { "" };
    format!("{before}{}", printable(&one_line(&end)))
}

#[cfg(test)]
mod tests;
