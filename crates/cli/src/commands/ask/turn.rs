//! One turn, driven here: what it does is shown while it does it.

use std::{collections::BTreeMap, io::Stderr, sync::Arc, time::Duration};

use anstream::ColorChoice;
use async_trait::async_trait;
use consign_app::{
    conversations::{
        self, Ask, Drafts, Heard, PlanStep, Prepared, StepStatus, TurnOutcome, Watching,
    },
    foreground::{Ended, Foreground, Observer},
};
use consign_contracts::json::Json;
use consign_engine::{Data, Engine, Fault, Owner, RunId, store::Row};

use crate::{
    commands::runs::{self, foreground::stranded, report},
    engine::Session,
    error::{Error, Exit},
    live::Live,
    output::{Audience, BAD, FAINT, GOOD, Output, printable, styled, warn},
    signals::Signals,
    text::one_line,
};

/// How long what is under way may go on after the first signal.
const GRACE: Duration = Duration::from_secs(10);
/// How much of what a model says is shown while it says it.
const SHOWN: usize = 400;

/// Where a turn was left.
pub(in crate::commands) enum Answered {
    Outcome(RunId, Box<TurnOutcome>),
    /// It waits for a person or was stopped.
    Left(Box<runs::foreground::Ended>),
}

/// Says where a turn was left that has no answer. Gives how the command ends.
pub(in crate::commands) async fn leave(
    session: &Session,
    left: &runs::foreground::Ended,
    output: &mut Output,
) -> Result<Exit, Error> {
    report::print(session, left, output).await?;
    report::verdict(session, left).await
}

/// Asks, and drives the turn to its end. `is_shown`: steps are told as they happen.
pub(in crate::commands) async fn answer(
    session: &Session,
    foreground: &mut Foreground,
    owner: &Owner,
    ask: Ask,
    output: &Output,
    is_shown: bool,
) -> Result<Answered, Error> {
    let turn = match conversations::prepare(session, owner, &session.user, ask).await? {
        Prepared::Turn(turn) => *turn,
        Prepared::Blocked(blocked) => return Err(blocked.refused().into()),
    };
    let (submitted, drive) = conversations::begin(foreground, turn).await?;
    let run = submitted.run;
    let signals = Signals::listen(GRACE)?;
    let mut shown = Shown::new(session, output, is_shown);
    // What was done before the run is told at once.
    shown.catch_up(&session.engine, &run).await?;
    let left = foreground.go_on(&run, drive, &signals.stop, &mut shown).await;
    let left = left.map_err(|error| stranded(error.into(), &run))?;
    shown.clear();
    shown.catch_up(&session.engine, &run).await?;
    // What was removed while the turn was under way.
    conversations::redact_forgotten(session, &session.user).await?;
    let end = shown.end.take();
    match (left, end) {
        (_, Some(Heard::Answer(outcome))) => Ok(Answered::Outcome(run, outcome)),
        (_, Some(Heard::Failed(fault))) => Err(failed(&fault)),
        (Ended::Waiting(row, asks), _) => {
            Ok(Answered::Left(Box::new(runs::foreground::Ended::Waiting(row, asks))))
        }
        (Ended::Stopped(row), _) => {
            let exit = signals.exit().unwrap_or(Exit::Interrupted);
            Ok(Answered::Left(Box::new(runs::foreground::Ended::Stopped(row, exit))))
        }
        (Ended::Closed(row), _) => match report::unhappy(session, &row).await? {
            Some(error) => Err(error),
            None => Err(Error::new("INTERNAL", format!("what turn {run} came to cannot be read"))),
        },
    }
}

/// The failure of a turn: its details are contract `crew/agent-failure`.
fn failed(fault: &Fault) -> Error {
    let error = Error::from(fault);
    match fault.details.as_ref().map(Data::shown) {
        Some(Json::Object(details)) => error.details(details.into_owned()),
        Some(_) | None => error,
    }
}

/// Tells the steps of a turn as they begin and end, and what a model writes meanwhile.
struct Shown<'a> {
    session: &'a Session,
    is_told: bool,
    live: Live<Stderr>,
    color: ColorChoice,
    watching: Watching,
    drafts: Drafts,
    /// The steps so far, by their number.
    steps: BTreeMap<u32, PlanStep>,
    end: Option<Heard>,
}

impl<'a> Shown<'a> {
    fn new(session: &'a Session, output: &Output, is_shown: bool) -> Self {
        let is_told = is_shown && output.reader != Audience::Program;
        let live = match is_told {
            true => Live::on_stderr(output.color),
            false => Live::nowhere(),
        };
        Self {
            session,
            is_told,
            live,
            color: output.color,
            watching: Watching::default(),
            drafts: Drafts::default(),
            steps: BTreeMap::new(),
            end: None,
        }
    }

    async fn catch_up(&mut self, engine: &Engine, run: &RunId) -> Result<(), Error> {
        for (_, heard) in self.watching.more(engine, run).await? {
            match heard {
                Heard::Step(step) => self.step(step),
                Heard::Answer(_) | Heard::Failed(_) | Heard::Cancelled => self.end = Some(heard),
            }
        }
        Ok(())
    }

    /// Where lines can be drawn again, all steps are drawn, and go when the answer comes. Elsewhere each is told as it
    /// ends.
    fn step(&mut self, step: PlanStep) {
        if self.is_told && !self.live.is_able() && step.status != StepStatus::InProgress {
            warn(self.color, in_words(&step));
        }
        self.steps.insert(step.step_id, step);
    }
}

/// A step as a line, with what its code means in words.
fn in_words(step: &PlanStep) -> String {
    let told = one_line(&step.description);
    let (mark, told) = match step.status {
        StepStatus::InProgress => return styled(FAINT, format!("  {}…", printable(&told))),
        StepStatus::Completed => (styled(GOOD, "✓"), told),
        StepStatus::Failed => {
            let code = CODES.iter().find_map(|(code, meaning)| {
                let before = told.strip_suffix(code)?;
                Some((styled(FAINT, "–"), format!("{before}{meaning}")))
            });
            code.unwrap_or_else(|| (styled(BAD, "✗"), told))
        }
    };
    format!("{mark} {}", printable(&told))
}

/// What a step failed with that is no fault: the next one goes on from there.
const CODES: [(&str, &str); 3] = [
    ("ERR_MEMORY_NO_RESULTS", "nothing was found"),
    ("ERR_TAILOR_HALLUCINATION", "not all of it is supported"),
    ("ERR_TIMEOUT", "it took too long"),
];

#[async_trait]
impl Observer for Shown<'_> {
    fn is_able(&self) -> bool {
        self.is_told
    }

    /// What cannot be read or drawn must not stop the turn.
    async fn draw(&mut self, engine: &Arc<Engine>, run: &RunId) {
        let _ = self.catch_up(engine, run).await;
        let mut lines: Vec<_> = self.steps.values().map(in_words).collect();
        self.drafts.hear(engine, run);
        self.drafts.release(self.session).await;
        let is_open = |step: &&PlanStep| step.status == StepStatus::InProgress;
        for step in self.steps.values().filter(is_open) {
            let text = last(self.drafts.released(step.step_id));
            lines.extend(text.lines().map(|line| format!("  {}", printable(line))));
        }
        let _ = self.live.draw(&lines);
    }

    fn clear(&mut self) {
        let _ = self.live.clear();
    }

    fn sleeps(&mut self, _row: &Row, _left: Duration) {}

    fn draining(&mut self) {
        warn(self.color, "stopping after what is under way; press Ctrl-C again to leave at once");
    }
}

/// The end of what was said so far.
fn last(text: &str) -> String {
    let letters = text.chars().count();
    text.chars().skip(letters.saturating_sub(SHOWN)).collect()
}
