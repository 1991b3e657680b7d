//! Implements the port of conversations, method by method.

use async_trait::async_trait;
use consign_engine::{At, Owner, RunId};
use consign_knowledge::{
    Error, SourceId,
    conversation::{Conversation, Conversations, Ended, Listed, Message, SessionQuery, TurnEnd},
};

use super::{
    read,
    store::SqliteStore,
    write::{EndTurn, ForgetSource, NoteRedaction, OpenConversation, Redacted, RemoveConversation},
};

#[async_trait]
impl Conversations for SqliteStore {
    async fn open(
        &self,
        owner: &Owner,
        session: &str,
        id: &str,
        at: At,
    ) -> Result<Conversation, Error> {
        // Most are there, and reading waits for nobody.
        if let Some(there) = self.conversation(owner, session).await? {
            return Ok(there);
        }
        let (owner, session, id) = (owner.clone(), session.to_owned(), id.to_owned());
        self.post(OpenConversation { owner, session, id, at }).await
    }

    async fn conversation(
        &self,
        owner: &Owner,
        session: &str,
    ) -> Result<Option<Conversation>, Error> {
        let (owner, session) = (owner.clone(), session.to_owned());
        self.read(move |db| read::conversation(db, &owner, &session)).await
    }

    async fn messages(&self, of: &Conversation, most: usize) -> Result<Vec<Message>, Error> {
        let (owner, session, id) = (of.owner.clone(), of.session.clone(), of.id.clone());
        self.read(move |db| read::messages(db, &owner, &session, &id, most)).await
    }

    async fn end_turn(&self, owner: &Owner, session: &str, turn: TurnEnd) -> Result<Ended, Error> {
        let (owner, session) = (owner.clone(), session.to_owned());
        self.post(EndTurn { owner, session, turn }).await
    }

    async fn list(&self, owner: &Owner, query: &SessionQuery) -> Result<Vec<Listed>, Error> {
        let (owner, query) = (owner.clone(), query.clone());
        self.read(move |db| read::conversations(db, &owner, &query)).await
    }

    async fn runs(&self, owner: &Owner, session: &str) -> Result<Vec<RunId>, Error> {
        let (owner, session) = (owner.clone(), session.to_owned());
        self.read(move |db| read::runs_of_conversation(db, &owner, &session)).await
    }

    async fn remove(&self, owner: &Owner, session: &str) -> Result<bool, Error> {
        let (owner, session) = (owner.clone(), session.to_owned());
        let removed = self.post(RemoveConversation { owner, session }).await?;
        if removed {
            self.erase().await?;
        }
        Ok(removed)
    }

    async fn forget_source(&self, owner: &Owner, source: &SourceId) -> Result<(), Error> {
        let (owner, source) = (owner.clone(), source.clone());
        if self.post(ForgetSource { owner, source }).await? {
            self.erase().await?;
        }
        Ok(())
    }

    async fn to_redact(&self, most: usize) -> Result<Vec<RunId>, Error> {
        self.read(move |db| read::to_redact(db, most)).await
    }

    async fn redact_later(&self, run: &RunId) -> Result<(), Error> {
        self.post(NoteRedaction { run: run.clone() }).await
    }

    async fn redacted(&self, run: &RunId) -> Result<(), Error> {
        self.post(Redacted { run: run.clone() }).await
    }
}
