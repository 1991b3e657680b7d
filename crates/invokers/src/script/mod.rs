//! Scripted agents: answers from a file, for the users' own tests and for ours.
//!
//! A script is a JSON array of entries. Each is taken once and in order unless it says how often.
//! Which entry an attempt gets follows from the attempts that the run began before it, and those are
//! in its journal: a run that goes on in another process goes on in its script.

mod entry;
mod play;

use std::{
    collections::BTreeMap,
    fs,
    io::Write,
    ops::Range,
    os::unix::fs::OpenOptionsExt,
    path::{Path, PathBuf},
    sync::{Arc, Mutex, PoisonError},
};

use async_trait::async_trait;
use consign_engine::{AgentName, Attempt, Data, Failure, Fault, Nanos, RunId};
use serde::Serialize;
use tokio::time::sleep;

use self::play::Plays;
pub use self::{
    entry::{Entry, Says, Script, Status},
    play::next_entry,
};
use crate::settings::RunSettings;

/// The source of what a run has done so far.
#[async_trait]
pub trait Past: Send + Sync {
    /// The agents of these attempts of a run, in order, as far as it has begun them. Attempts count from 0. Runs go on,
    /// so what comes after the last that were asked for should be found without reading everything before.
    async fn called(&self, run: &RunId, numbers: Range<u64>) -> Result<Vec<String>, String>;
}

/// The scripts that are used in this process, and how far each run is in them.
pub struct Scripts {
    past: Arc<dyn Past>,
    read: Mutex<BTreeMap<PathBuf, Arc<Script>>>,
    plays: Mutex<Plays>,
}

/// The answer of a script to one attempt.
#[derive(Clone, Debug)]
pub struct Line {
    pub response: Response,
    pub cost: Nanos,
    pub note: Data,
}

#[derive(Clone, Debug, PartialEq)]
pub enum Response {
    Text(String),
    Json(Data),
}

impl Response {
    /// The answer as a model would have written it.
    #[must_use]
    pub fn text(&self) -> &str {
        match self {
            Self::Text(text) => text,
            Self::Json(data) => data.as_str(),
        }
    }

    /// The answer as the output of an agent: a text that is a JSON object or array becomes that
    /// value.
    #[must_use]
    pub fn output(&self) -> Data {
        match self {
            Self::Json(data) => data.clone(),
            Self::Text(text) => match Data::parse(text.as_str()) {
                Ok(data) if data.as_str().starts_with(['{', '[']) => data,
                Ok(_) | Err(_) => Data::of(text.as_str()),
            },
        }
    }
}

impl Scripts {
    #[must_use]
    pub fn new(past: Arc<dyn Past>) -> Self {
        Self { past, read: Mutex::default(), plays: Mutex::default() }
    }

    /// Reads a script, or returns it if it was read before.
    pub fn script(&self, path: &Path) -> Result<Arc<Script>, Fault> {
        let mut known = self.read.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(script) = known.get(path) {
            return Ok(script.clone());
        }
        let script = Arc::new(Script::load(path).map_err(|why| invalid(path, &why))?);
        known.insert(path.to_owned(), script.clone());
        Ok(script)
    }

    /// The most that an attempt of this agent can cost by the script.
    pub fn worst(&self, path: &Path, agent: &str) -> Nanos {
        let Ok(script) = self.script(path) else { return Nanos::ZERO };
        let costs = script.entries.iter().filter(|entry| entry.is_for(agent));
        costs.map(|entry| entry.cost).max().unwrap_or_default()
    }

    /// Answers one attempt.
    pub async fn play(&self, path: &Path, attempt: &Attempt) -> Result<Line, Failure> {
        let unpaid = |fault| Failure::new(fault, Some(Nanos::ZERO));
        let script = self.script(path).map_err(unpaid)?;
        let before_run = RunSettings::of(&attempt.settings).map_err(unpaid)?.script_before;
        let position = ScriptPosition::of(attempt, &before_run);
        let entry = self.entry(path, &script, position).await;
        let entry = entry.map_err(unpaid)?;
        let Some(entry) = entry else {
            let agent = attempt.agent.shown();
            let text = format!("the script {} has no entry left for {agent}", path.display());
            return Err(unpaid(Fault::permanent("AGENT_NOT_FOUND", text)));
        };
        if !entry.files.is_empty() && !attempt.agent.pin().is_some_and(has_workspace) {
            let agent = attempt.agent.shown();
            let why =
                format!("`files` of an entry need an agent with a workspace, and {agent} has none");
            return Err(unpaid(invalid(path, &why)));
        }
        tokio::select! {
            () = sleep(entry.delay) => {}
            () = attempt.cancelled() => {
                let fault = Fault::permanent("CANCELLED", "the call was cancelled");
                // What a call costs that was cut off is not known, unless it is free.
                return Err(Failure::new(fault, entry.cost.is_zero().then_some(Nanos::ZERO)));
            }
        }
        match &entry.says {
            Says::Answers(response) => {
                Ok(Line { response: response.clone(), cost: entry.cost, note: entry.note() })
            }
            Says::Fails(fault) => {
                Err(Failure::new(fault.clone(), Some(entry.cost)).with_note(entry.note()))
            }
        }
    }

    async fn entry<'a>(
        &self,
        path: &Path,
        script: &'a Script,
        turn: ScriptPosition<'_>,
    ) -> Result<Option<&'a Entry>, Fault> {
        let ScriptPosition { run, before, from, agent, earlier, before_run } = turn;
        let of = (path.to_owned(), run.clone(), from);
        let lacks_from = {
            let mut plays = self.plays.lock().unwrap_or_else(PoisonError::into_inner);
            let play = plays.of(&of, script);
            match play.lacks_from(before) {
                None => return Ok(play.take(script, before, agent)),
                Some(from) => from,
            }
        };
        // Nobody else has to wait for this. What happens to the play meanwhile does no harm: what is
        // known of the past is all that an entry follows from.
        let called = match earlier {
            Some(earlier) => {
                let earlier = earlier.iter().map(ToString::to_string);
                Ok(earlier.skip(usize::try_from(lacks_from).unwrap_or(usize::MAX)).collect())
            }
            None => self.called(run, before_run, lacks_from..before).await,
        };
        let called = called.map_err(|why| Fault::transient("STORE_UNAVAILABLE", why))?;
        let mut plays = self.plays.lock().unwrap_or_else(PoisonError::into_inner);
        let play = plays.of(&of, script);
        play.remember(lacks_from, called);
        Ok(play.take(script, before, agent))
    }

    /// The agents of attempts by their numbers, those before there was a run first.
    async fn called(
        &self,
        run: &RunId,
        before_run: &[String],
        numbers: Range<u64>,
    ) -> Result<Vec<String>, String> {
        let first = before_run.len() as u64;
        let early = before_run.iter().zip(0..).filter(|(_, number)| numbers.contains(number));
        let mut called: Vec<_> = early.map(|(agent, _)| agent.clone()).collect();
        let later = numbers.start.saturating_sub(first)..numbers.end.saturating_sub(first);
        if !later.is_empty() {
            called.extend(self.past.called(run, later).await?);
        }
        Ok(called)
    }
}

/// The attempt that is to be answered. Attempts before there was a run count too.
#[derive(Clone, Copy)]
struct ScriptPosition<'a> {
    run: &'a RunId,
    before: u64,
    /// The first attempt that uses an entry.
    from: u64,
    agent: &'a str,
    earlier: Option<&'a [AgentName]>,
    /// The agents of the attempts before there was a run.
    before_run: &'a [String],
}

impl<'a> ScriptPosition<'a> {
    fn of(attempt: &'a Attempt, before_run: &'a [String]) -> Self {
        let Attempt { run, before, agent, earlier, .. } = attempt;
        let from = RunSettings::of(&attempt.settings).map_or(0, |settings| settings.script_from);
        let before = *before + before_run.len() as u64;
        Self { run, before, from, agent, earlier: earlier.as_deref(), before_run }
    }
}

/// Whether agents under this pin work in a workspace: the roles of a job do.
fn has_workspace(pin: &str) -> bool {
    pin.starts_with("job")
}

fn invalid(path: &Path, why: &str) -> Fault {
    Fault::permanent("SCRIPT_INVALID", format!("the script {}: {why}", path.display()))
}

/// The input of a call, as a line of the file of invocations.
#[derive(Serialize)]
pub struct Invocation<'a> {
    pub agent: &'a str,
    pub prompt: &'a str,
    pub timeout_seconds: f64,
    pub run: &'a RunId,
    pub activity: &'a str,
    /// Counts from 1.
    pub attempt: u32,
}

impl Invocation<'_> {
    /// Appends the line to the file of invocations.
    pub fn append(&self, path: &Path) -> Result<(), Fault> {
        let line = Data::of(self);
        let mut options = fs::OpenOptions::new();
        options.create(true).append(true).mode(0o600);
        let written = options
            .open(path)
            .and_then(|mut file| file.write_all(format!("{}\n", line.as_str()).as_bytes()));
        written.map_err(|cause| {
            let text = format!("could not write {}: {cause}", path.display());
            Fault::permanent("INVOCATIONS_UNWRITABLE", text)
        })
    }
}

/// Appends the input of an attempt to the file of invocations.
pub fn note_invocation(
    path: &Path,
    attempt: &Attempt,
    prompt: &str,
    timeout: std::time::Duration,
) -> Result<(), Fault> {
    let line = Invocation {
        agent: attempt.agent.shown(),
        prompt,
        timeout_seconds: timeout.as_secs_f64(),
        run: &attempt.run,
        activity: attempt.key.as_str(),
        attempt: attempt.number,
    };
    line.append(path)
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;

    /// Every run called `a` as often as anybody likes to know.
    #[derive(Default)]
    struct Journal {
        asked: AtomicUsize,
    }

    #[async_trait]
    impl Past for Arc<Journal> {
        async fn called(&self, _run: &RunId, numbers: Range<u64>) -> Result<Vec<String>, String> {
            self.asked.fetch_add(1, Ordering::Relaxed);
            // Others go on meanwhile.
            tokio::task::yield_now().await;
            Ok(numbers.map(|_| "a".to_owned()).collect())
        }
    }

    fn said(entry: Option<&Entry>) -> String {
        match entry.map(|entry| &entry.says) {
            Some(Says::Answers(response)) => response.text().to_owned(),
            Some(Says::Fails(_)) | None => "nothing".to_owned(),
        }
    }

    #[tokio::test]
    async fn a_run_whose_play_was_forgotten_goes_on_by_its_journal() {
        let script = r#"[{"agent": "a", "response": 1}, {"agent": "a", "response": 2}]"#;
        let script = Script::read(script).unwrap();
        let journal = Arc::new(Journal::default());
        let scripts = Scripts::new(Arc::new(journal.clone()));
        let run = |number: usize| -> RunId { RunId::from(format!("run-{number}").as_str()) };
        let path = Path::new("script.json");
        let take = async |number: usize, before: u64| {
            let turn = ScriptPosition {
                run: &run(number),
                before,
                from: 0,
                agent: "a",
                earlier: None,
                before_run: &[],
            };
            said(scripts.entry(path, &script, turn).await.unwrap())
        };
        for number in 0..Plays::MOST + 10 {
            assert_eq!(take(number, 0).await, "1");
        }
        assert_eq!(scripts.plays.lock().unwrap().len(), Plays::MOST);
        assert_eq!(take(Plays::MOST, 1).await, "2");
        assert_eq!(journal.asked.load(Ordering::Relaxed), 0, "it is remembered");
        let (first, second) = tokio::join!(take(0, 1), take(1, 1));
        assert_eq!([first, second], ["2", "2"]);
        assert_eq!(journal.asked.load(Ordering::Relaxed), 2, "it was forgotten");
        assert_eq!((take(0, 0).await, take(0, 2).await), ("1".to_owned(), "nothing".to_owned()));
        assert_eq!(scripts.plays.lock().unwrap().len(), Plays::MOST);
    }
}
