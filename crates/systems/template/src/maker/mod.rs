//! Drives a creation: does the work of each step, asks agents, and commits after each.
//!
//! The state file is the home of the run: a step counts once the file that says so is in its place.
//! What an agent answered is in the state before its response is removed, so that a crash anywhere
//! repeats nothing that was paid for. Whoever drives holds the project's [`Lock`](super::folder::Lock).

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
    /// Through files: somebody outside answers, later.
    Bridge,
    /// At once.
    Here(&'a mut dyn Invoke),
    /// Not at all: what can be found without them will do.
    Nobody(&'static str),
}

/// Where a creation came to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// A request is in its file, and nobody has answered it.
    Waits,
    /// The template is written. The files of the bridge are still there.
    Complete,
}

/// How things go, for whoever looks on.
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
    /// Nothing is written without it: neither the state nor the template.
    pub writes: bool,
    pub now: &'a dyn Fn() -> At,
    pub random: &'a dyn Fn() -> [u8; 16],
    pub cancel: Cancel,
    /// Where the user's own agents are.
    pub user: Option<std::path::PathBuf>,
    pub tell: &'a mut dyn FnMut(MakerEvent<'_>),
    /// The response that was consumed last, for whoever keeps books.
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
    /// Goes on until the template is there or somebody has to answer.
    ///
    /// # Errors
    /// Why it stopped, and whether it can go on from here.
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

    /// Puts the files in order that a crash may have left behind: what was consumed is removed, what is
    /// pending is asked.
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

    /// The step counts from here on.
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
