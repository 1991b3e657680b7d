//! Drives a creation: does the work of each step, asks agents, and commits after each.
//!
//! The state file is the home of the run: a step counts once the file that says so is in its place.
//! What an agent answered is in the state before its response is removed, so that a crash anywhere
//! repeats nothing that was paid for. The caller holds the project's [`Lock`](super::folder::Lock).

mod ask;
mod invocations;
mod response;
mod stopped;
mod work;

pub use self::{invocations::note_request, stopped::Stopped};

use consign_code::Cancel;
use consign_contracts::{bridge::AgentRequest, wire::Wire};
use consign_engine::At;

use super::{
    creation::{Creation, Reply, Step},
    folder::{BridgeFile, Folder},
    scripted::Invoke,
};

/// How agents are reached.
pub enum Reach<'a> {
    /// Through files: an agent outside answers later.
    Bridge,
    /// By a call in this process.
    Here(&'a mut dyn Invoke),
    /// Not at all: heuristics are used instead.
    Nobody(&'static str),
}

/// How far a creation came.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// A request is in its file, and has no answer yet.
    Waits,
    /// The template is written. The files of the bridge are still there.
    Complete,
}

/// Progress, for the caller to show.
#[derive(Clone, Debug, PartialEq)]
pub enum MakerEvent<'a> {
    Begins(Step),
    Done { phase: u8, summary: &'a str },
    Asks(&'a AgentRequest),
    Warns(String),
}

/// What the work needs from outside.
pub struct Maker<'a> {
    pub folder: &'a Folder,
    /// Without it nothing is written: neither the state nor the template.
    pub writes: bool,
    pub now: &'a dyn Fn() -> At,
    pub random: &'a dyn Fn() -> [u8; 16],
    pub cancel: Cancel,
    /// Where the user's own agents are.
    pub user: Option<std::path::PathBuf>,
    pub tell: &'a mut dyn FnMut(MakerEvent<'_>),
    /// The response that was consumed last.
    pub taken: Option<Taken>,
    /// The file to which a line is added for each request that is made.
    pub invocations: Option<&'a std::path::Path>,
}

/// A response that was consumed.
#[derive(Clone, Debug, PartialEq)]
pub struct Taken {
    pub request_id: String,
    pub reply: Reply,
}

impl Maker<'_> {
    /// Continues until the template is written or an answer is needed.
    ///
    /// # Errors
    /// Why it stopped, and whether it can continue from here.
    pub fn drive(&mut self, creation: &mut Creation, mut reach: Reach<'_>) -> Result<End, Stopped> {
        let mut phase = 0;
        loop {
            let step = creation.step;
            if step == Step::Complete {
                return Ok(End::Complete);
            }
            if step.phase() != phase {
                phase = step.phase();
                (self.tell)(MakerEvent::Begins(step));
            }
            match step.asks() {
                Some(asked) => {
                    if let Some(end) = self.ask(asked, creation, &mut reach)? {
                        return Ok(end);
                    }
                }
                None => self.work(step, creation)?,
            }
        }
    }

    /// Repairs the files after a crash: removes a response that was consumed, and writes the
    /// request that is pending.
    ///
    /// # Errors
    /// If the folder cannot be written.
    pub fn settle(&mut self, creation: &Creation) -> Result<(), Stopped> {
        self.folder.sweep();
        // A request that is over must not be answered any more. The pending one is written anew.
        let pending = creation.pending.as_ref().map(|pending| page(&pending.request));
        let there = self.folder.read(BridgeFile::Request).ok().flatten();
        if there.is_some() && there.as_deref() != pending.as_deref().map(str::as_bytes) {
            self.folder.remove(BridgeFile::Request)?;
        }
        self.remove_consumed(creation)
    }

    /// Removes the response that was consumed, and no other.
    fn remove_consumed(&mut self, creation: &Creation) -> Result<(), Stopped> {
        if let Some(consumed) = &creation.consumed
            && let Ok(Some(bytes)) = self.folder.read(BridgeFile::Response)
            && response::digest(&bytes) == *consumed
        {
            self.folder.remove(BridgeFile::Response)?;
        }
        Ok(())
    }

    /// Commits the state: from here on the step counts.
    fn commit(&mut self, creation: &mut Creation) -> Result<(), Stopped> {
        creation.seq += 1;
        if self.writes {
            let state = page(&creation.to_state((self.now)()));
            if state.len() as u64 > BridgeFile::State.most() {
                let text = format!(
                    "the state would have {} bytes, which is too large to be read again",
                    state.len()
                );
                return Err(Stopped::new("STATE_TOO_LARGE", text).hint(
                    "take fewer files with --max-templates, from the beginning with --fresh",
                ));
            }
            self.folder.write(BridgeFile::State, state.as_bytes())?;
        }
        Ok(())
    }

    /// A phase is done, and the step after it begins.
    fn done(&mut self, creation: &mut Creation, summary: &str) -> Result<(), Stopped> {
        let phase = creation.step.phase();
        creation.complete(phase, (self.now)(), summary);
        creation.advance();
        self.commit(creation)?;
        (self.tell)(MakerEvent::Done { phase, summary });
        Ok(())
    }
}

/// A document for people and programs.
fn page(document: &impl Wire) -> String {
    format!("{:#}\n", document.write())
}
