//! Driving a run from the command line: with signals, and lines that show how it gets on.
//!
//! The driving itself is [`consign_app::foreground`]; here is what a terminal adds.

use std::{io::Stderr, sync::Arc, time::Duration};

use async_trait::async_trait;
use consign_app::{
    foreground::{Ended as Left, Foreground, Observer},
    page,
};
use consign_engine::{
    At, Drive, Engine, RunId, Seq,
    store::{Interaction, Row},
};

use super::{form, picture::Picture};
use crate::{
    engine::Session,
    error::{Error, Exit},
    live::Live,
    output::{Audience, FAINT, Output, printable, styled},
    signals::Signals,
    text::{one_line, span},
};

/// How long what is under way may go on after the first signal.
pub(super) const GRACE: Duration = Duration::from_secs(10);
/// A run that sleeps longer is said to.
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

/// Goes on with a run, from a drive if there is one already. `new` if its journal has only been begun.
pub(crate) async fn go_on(
    session: &Session,
    foreground: &mut Foreground,
    run: &RunId,
    begun: Option<Drive>,
    output: &Output,
    new: bool,
) -> Result<Ended, Error> {
    // Not before there is something to stop gracefully.
    let signals = Signals::listen(GRACE)?;
    // What was before is not counted again: a journal may be long.
    let from = match new {
        true => Seq(0),
        false => session.store().row(run).await?.seq.next(),
    };
    let mut progress = Progress::new(output, from);
    let left = foreground.go_on(run, begun, &signals.stop, &mut progress).await?;
    Ok(match left {
        Left::Closed(row) => Ended::Closed(row),
        Left::Waiting(row, asks) => Ended::Waiting(row, asks),
        Left::Stopped(row) => Ended::Stopped(row, signals.exit().unwrap_or(Exit::Interrupted)),
    })
}

/// Adds to an error how to go on with a run that this process has let go.
pub(in crate::commands) fn stranded(error: Error, run: &RunId) -> Error {
    error
        .hint_too(format!("nothing recorded is lost: `consign runs resume {run}` goes on"))
        .detail("run", form::text(run))
}

/// A line or two that show how the run gets on.
pub(super) struct Progress<'a> {
    output: &'a Output,
    live: Live<Stderr>,
    picture: Picture,
    /// The next event to take in.
    from: Seq,
    /// The instant until which the run waits, where that was told.
    told: Option<At>,
}

impl<'a> Progress<'a> {
    pub(super) fn new(output: &'a Output, from: Seq) -> Self {
        let live = match output.reader {
            Audience::Program => Live::nowhere(),
            Audience::Person | Audience::Pipe => Live::on_stderr(output.color),
        };
        Self { output, live, picture: Picture::default(), from, told: None }
    }
}

#[async_trait]
impl Observer for Progress<'_> {
    fn is_able(&self) -> bool {
        self.live.is_able()
    }

    /// Progress that cannot be read or drawn must not stop the run.
    async fn draw(&mut self, engine: &Arc<Engine>, run: &RunId) {
        while let Ok(page) = page(engine, run, self.from).await {
            let Some(last) = page.last() else { break };
            self.from = last.seq.next();
            page.iter().for_each(|record| self.picture.take(record));
        }
        let mut lines = vec![format!("{run}: {}", self.picture.in_short())];
        let open = self.picture.lines(engine.now(), SHOWN);
        lines.extend(open.into_iter().map(|line| format!("  {line}")));
        let saying = engine.listen(run).so_far;
        lines.extend(
            saying
                .iter()
                .take(SHOWN)
                .map(|piece| format!("  {}: {}", piece.activity, last_words(&piece.text))),
        );
        let _ = self.live.draw(&lines);
    }

    fn clear(&mut self) {
        let _ = self.live.clear();
    }

    fn sleeps(&mut self, row: &Row, left: Duration) {
        if left < LONG || self.told == row.wake_at {
            return;
        }
        self.told = row.wake_at;
        let told = format!(
            "waits for {}; Ctrl-C leaves it, and `consign runs resume {}` goes on",
            span(left),
            row.id
        );
        self.output.tell(styled(FAINT, told));
    }

    fn draining(&mut self) {
        self.output.warn("stopping after what is under way; press Ctrl-C again to leave at once");
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
