//! Where conversations are kept: the port.
//!
//! A conversation belongs to an owner and has a name of the user's own, its session. What is kept grows with what was said;
//! what belongs to the last turn is replaced by the next. Every method takes the owner, and nothing of another owner is
//! ever seen. What a method has answered `Ok` to is durable.
//!
//! Each turn is made by a run. Its name follows from [`Conversation::run`], so of two turns that begin at the same time one
//! finds the run of the other. [`Conversations::end_turn`] ends a turn once, however often it is called.

use async_trait::async_trait;
use consign_engine::{At, Data, Owner, RunId};
use sha2::{Digest, Sha256};

use crate::{id::SourceId, index::Error};

/// The workflow of the runs that make turns.
pub const WORKFLOW: &str = "conversation/turn";

#[async_trait]
pub trait Conversations: Send + Sync {
    /// The conversation of a session. One that is not there begins, under an id that the caller has drawn.
    async fn open(
        &self,
        owner: &Owner,
        session: &str,
        id: &str,
        at: At,
    ) -> Result<Conversation, Error>;

    /// The conversation of a session, if there is one.
    async fn conversation(
        &self,
        owner: &Owner,
        session: &str,
    ) -> Result<Option<Conversation>, Error>;

    /// The newest messages of a conversation as it was read, so many, the oldest first. If it went on since, there may be
    /// newer ones among them; if it was removed, there are none.
    async fn messages(&self, of: &Conversation, most: usize) -> Result<Vec<Message>, Error>;

    /// Ends the turn of this number: adds what was said, and replaces what belongs to the last turn. What was blocked has no
    /// run and ends no turn: it is only added, for another turn may be under way.
    async fn end_turn(&self, owner: &Owner, session: &str, turn: TurnEnd) -> Result<Ended, Error>;

    /// Conversations, the one that went on last first.
    async fn list(&self, owner: &Owner, query: &SessionQuery) -> Result<Vec<Listed>, Error>;

    /// The runs of all turns of a conversation.
    async fn runs(&self, owner: &Owner, session: &str) -> Result<Vec<RunId>, Error>;

    /// Removes a conversation and what was said in it, and notes that the runs of its turns are to be redacted. Says
    /// whether there was one.
    async fn remove(&self, owner: &Owner, session: &str) -> Result<bool, Error>;

    /// Takes the passages of a source out of what conversations keep of their last turn, and notes that the runs that were
    /// given some are to be redacted. So are the owner's runs of [`WORKFLOW`] whose turn has not ended: they may have been
    /// given some, and when such a turn ends, its passages of this source are not kept.
    async fn forget_source(&self, owner: &Owner, source: &SourceId) -> Result<(), Error>;

    /// Runs that are to be redacted, so many.
    async fn to_redact(&self, most: usize) -> Result<Vec<RunId>, Error>;

    /// Notes that a run is to be redacted: what it was given was removed while it worked.
    async fn redact_later(&self, run: &RunId) -> Result<(), Error>;

    /// Notes that a run was redacted, or is not there any more.
    async fn redacted(&self, run: &RunId) -> Result<(), Error>;
}

/// A conversation, but for what was said.
#[derive(Clone, Debug, PartialEq)]
pub struct Conversation {
    pub owner: Owner,
    pub session: String,
    /// Drawn when it began: one that was removed and began again has another.
    pub id: String,
    /// How many turns have ended.
    pub turns: u32,
    pub began_at: At,
    /// When the last turn ended, or it began.
    pub ended_at: At,
    /// What belongs to the last turn.
    pub last: LastTurn,
    pub preferences: Data,
    /// Which marks stand for which values, by keyed hashes: a value keeps its mark.
    pub marks: Option<Data>,
}

/// What is kept of the last turn only.
#[derive(Clone, Debug, PartialEq)]
pub struct LastTurn {
    /// A list of contract `PlanStep`.
    pub plan: Option<Data>,
    /// A list of contract `RetrievedContext`.
    pub context: Data,
}

/// Something that was said.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Message {
    /// `user`, `assistant` or `system`.
    pub role: String,
    pub content: String,
    pub at: At,
}

/// How a turn ended.
#[derive(Clone, Debug, PartialEq)]
pub struct TurnEnd {
    /// The conversation that it belongs to: [`Conversation::id`].
    pub id: String,
    /// Counts from 0: [`Conversation::turns`] when it began.
    pub number: u32,
    /// The run that made it. A turn that was blocked has none.
    pub run: Option<RunId>,
    pub messages: Vec<Message>,
    pub last: LastTurn,
    pub preferences: Data,
    pub marks: Option<Data>,
    /// The sources whose passages its run was given.
    pub sources: Vec<SourceId>,
    pub at: At,
}

/// What became of an end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ended {
    Done,
    /// The turn has ended before.
    Before,
    /// The conversation was removed.
    Gone,
}

/// Which conversations to list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SessionQuery {
    /// When the last one that was seen went on, and its session.
    pub after: Option<(At, String)>,
    pub most: usize,
}

/// A conversation in a list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Listed {
    pub session: String,
    pub turns: u32,
    pub began_at: At,
    pub ended_at: At,
}

impl Conversation {
    /// The run of a turn of this conversation.
    #[must_use]
    pub fn run(&self, number: u32) -> RunId {
        let mut hash = Sha256::new();
        for part in [self.owner.as_str(), &self.session, &self.id] {
            hash.update((part.len() as u64).to_le_bytes());
            hash.update(part);
        }
        hash.update(number.to_le_bytes());
        let digest = hash.finalize();
        RunId::new(format!("turn-{}", hex::encode(&digest[..16])))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_turn_of_each_conversation_has_a_run_of_its_own() {
        let conversation = |owner: &str, session: &str, id: &str| Conversation {
            owner: Owner::new(owner),
            session: session.to_owned(),
            id: id.to_owned(),
            turns: 0,
            began_at: At(0),
            ended_at: At(0),
            last: LastTurn { plan: None, context: Data::null() },
            preferences: Data::null(),
            marks: None,
        };
        let all = [
            conversation("a", "s", "1").run(0),
            conversation("a", "s", "1").run(1),
            conversation("a", "s", "2").run(0),
            conversation("b", "s", "1").run(0),
            conversation("a", "s1", "").run(0),
        ];
        let distinct: std::collections::BTreeSet<_> = all.iter().map(RunId::as_str).collect();
        assert_eq!(distinct.len(), all.len());
        assert_eq!(conversation("a", "s", "1").run(1), all[1]);
    }
}
