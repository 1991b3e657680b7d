//! Agents by script: answers from a file, for the users' own tests and for ours.
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
    os::unix::fs::OpenOptionsExt,
    path::{Path, PathBuf},
    sync::{Arc, Mutex, PoisonError},
};

use async_trait::async_trait;
use consign_engine::{Attempt, Data, Failure, Fault, Nanos, RunId};
use serde::Serialize;
use tokio::time::sleep;

pub use self::entry::{Entry, Says, Script};
use self::play::Play;
use crate::file::read_text;

/// A script larger than this is a mistake.
const MOST_BYTES: u64 = 16 << 20;

/// Who knows what a run has done so far.
#[async_trait]
pub trait Past: Send + Sync {
    /// The agents of the first attempts that a run began, so many and in order.
    async fn called(&self, run: &RunId, first: u64) -> Result<Vec<String>, String>;
}

/// The scripts that runs of this process are played by.
pub struct Scripts {
    past: Arc<dyn Past>,
    read: Mutex<BTreeMap<PathBuf, Arc<Script>>>,
    plays: tokio::sync::Mutex<BTreeMap<(PathBuf, RunId), Play>>,
}

/// What a script says to one attempt.
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
    /// As a model would have written it.
    #[must_use]
    pub fn text(&self) -> &str {
        match self {
            Self::Text(text) => text,
            Self::Json(data) => data.as_str(),
        }
    }

    /// As the output of an agent: text that is a JSON object or list is meant as such.
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
        Self { past, read: Mutex::default(), plays: tokio::sync::Mutex::default() }
    }

    /// Reads a script, once.
    pub fn script(&self, path: &Path) -> Result<Arc<Script>, Fault> {
        let mut known = self.read.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(script) = known.get(path) {
            return Ok(script.clone());
        }
        let script = Arc::new(load(path).map_err(|why| invalid(path, &why))?);
        known.insert(path.to_owned(), script.clone());
        Ok(script)
    }

    /// The most that an attempt of this agent can cost by the script.
    pub fn worst(&self, path: &Path, agent: &str) -> Nanos {
        let Ok(script) = self.script(path) else { return Nanos::ZERO };
        let costs = script.entries.iter().filter(|entry| entry.is_for(agent));
        costs.map(|entry| entry.cost).max().unwrap_or_default()
    }

    /// Plays one attempt.
    pub async fn play(&self, path: &Path, attempt: &Attempt) -> Result<Line, Failure> {
        let unpaid = |fault| Failure::new(fault, Some(Nanos::ZERO));
        let script = self.script(path).map_err(unpaid)?;
        let entry = self.entry(path, &script, attempt).await.map_err(unpaid)?;
        let Some(entry) = entry else {
            let agent = &attempt.agent;
            let text = format!("the script {} has no entry left for {agent}", path.display());
            return Err(unpaid(Fault::permanent("AGENT_NOT_FOUND", text)));
        };
        tokio::select! {
            () = sleep(entry.delay) => {}
            () = attempt.cancelled() => {
                return Err(unpaid(Fault::permanent("CANCELLED", "it was told to stop")));
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
        attempt: &Attempt,
    ) -> Result<Option<&'a Entry>, Fault> {
        let mut plays = self.plays.lock().await;
        let of = (path.to_owned(), attempt.run.clone());
        let play = plays.entry(of).or_insert_with(|| Play::new(script));
        if play.lacks(attempt.before) {
            let called = self.past.called(&attempt.run, attempt.before).await;
            let called = called.map_err(|why| Fault::transient("STORE_UNAVAILABLE", why))?;
            play.remember(called);
        }
        Ok(play.take(script, attempt.before, &attempt.agent))
    }
}

fn load(path: &Path) -> Result<Script, String> {
    Script::read(&read_text(path, MOST_BYTES)?)
}

fn invalid(path: &Path, why: &str) -> Fault {
    Fault::permanent("SCRIPT_INVALID", format!("the script {}: {why}", path.display()))
}

/// What a call was given, as a line of the file of invocations.
#[derive(Serialize)]
struct Invocation<'a> {
    agent: &'a str,
    prompt: &'a str,
    timeout_seconds: f64,
    run: &'a RunId,
    activity: &'a str,
    attempt: u32,
}

/// Writes down what an attempt is given.
pub fn note_invocation(
    path: &Path,
    attempt: &Attempt,
    prompt: &str,
    timeout: std::time::Duration,
) -> Result<(), Fault> {
    let line = Data::of(&Invocation {
        agent: &attempt.agent,
        prompt,
        timeout_seconds: timeout.as_secs_f64(),
        run: &attempt.run,
        activity: attempt.key.as_str(),
        attempt: attempt.number,
    });
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
