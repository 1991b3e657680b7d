//! Implements the port [`Index`], method by method: documents in tables, words in FTS5, vectors in memory.
//!
//! - Words are indexed as [tokens]: keyed hashes, so that the lists of two owners have nothing in common, their
//!   statistics neither, and the index has no word in it.
//! - What a search goes through for each chunk is kept in memory, within bounds, and brought up to date by what changed:
//!   see [`shelf`]. Other processes may write; each search looks at one moment of the database.
//! - Vectors are compared one by one, which is exact and needs no building.

mod fetch;
mod find;
mod list;
mod postings;
mod shelf;
mod shelves;
mod tokens;

use std::{ops::Range, sync::Arc};

use async_trait::async_trait;
use consign_engine::Owner;
use consign_knowledge::{
    Ask, ChunkId, DocumentId, Error, Found, Index, Progress, Put, Source, SourceId, SourceQuery,
    StoredChunk, Vector, Version,
};

pub(crate) use self::{
    fetch::PIECE,
    shelves::Shelves,
    tokens::{IndexedWords, Tokens},
};
use super::{
    fail::Halt,
    store::SqliteStore,
    wipe::empty_wal,
    write::{AddVectors, MakeShelf, PutVersions, RemoveSource, SetMissing},
};

/// How often a search starts again because its view of the database was older than what is in memory.
const VIEWS: usize = 4;

#[async_trait]
impl Index for SqliteStore {
    async fn put(&self, owner: &Owner, versions: Vec<Version>) -> Result<Vec<Put>, Error> {
        let tokens = self.tokens(owner).await?;
        let write = self.in_background(move || Ok(PutVersions::of(versions, &tokens))).await?;
        let put = self.post(write).await?;
        if put.contains(&Put::Replaced) {
            self.erase().await?;
        }
        Ok(put)
    }

    async fn remove(&self, owner: &Owner, source: &SourceId) -> Result<bool, Error> {
        let remove = RemoveSource { owner: owner.clone(), source: source.clone() };
        let removed = self.post(remove).await?;
        if removed {
            self.erase().await?;
        }
        Ok(removed)
    }

    async fn set_missing(
        &self,
        owner: &Owner,
        source: &SourceId,
        missing: bool,
    ) -> Result<bool, Error> {
        self.post(SetMissing { owner: owner.clone(), source: source.clone(), missing }).await
    }

    async fn source(&self, owner: &Owner, source: &SourceId) -> Result<Option<Source>, Error> {
        let (owner, source) = (owner.clone(), source.clone());
        self.read(move |db| list::source(db, &owner, &source)).await
    }

    async fn sources(&self, owner: &Owner, query: &SourceQuery) -> Result<Vec<Source>, Error> {
        let (owner, query) = (owner.clone(), query.clone());
        self.read(move |db| list::sources(db, &owner, &query)).await
    }

    async fn text(
        &self,
        owner: &Owner,
        document: &DocumentId,
        span: Range<usize>,
    ) -> Result<Option<String>, Error> {
        let (owner, document) = (owner.clone(), document.clone());
        self.read(move |db| fetch::text(db, &owner, &document, &span)).await
    }

    async fn chunks(
        &self,
        owner: &Owner,
        document: &DocumentId,
        from: u32,
        most: usize,
    ) -> Result<Vec<StoredChunk>, Error> {
        let (owner, document) = (owner.clone(), document.clone());
        self.read(move |db| fetch::chunks(db, &owner, &document, from, most)).await
    }

    async fn find(&self, owner: &Owner, ask: &Ask) -> Result<Found, Error> {
        self.trusted()?;
        let ask = Arc::new(ask.clone());
        for view in 1..=VIEWS {
            let (owner, ask, shelves) = (owner.clone(), ask.clone(), self.shelves.clone());
            let is_last = view == VIEWS;
            let look = move |db: &_| find::find(db, &shelves, &owner, &ask, is_last);
            if let Some(found) = self.pool.read(look).await? {
                return Ok(found);
            }
        }
        Err(Error::Unavailable("the documents changed during the search; try again".into()))
    }

    async fn owners_without_vectors(&self, model: &str) -> Result<Vec<Owner>, Error> {
        let model = model.to_owned();
        self.read(move |db| list::owners_without_vectors(db, &model)).await
    }

    async fn without_vectors(
        &self,
        owner: &Owner,
        model: &str,
        most: usize,
    ) -> Result<Vec<StoredChunk>, Error> {
        let (owner, model) = (owner.clone(), model.to_owned());
        self.read(move |db| fetch::without_vectors(db, &owner, &model, most)).await
    }

    async fn add_vectors(
        &self,
        owner: &Owner,
        model: &str,
        vectors: Vec<(ChunkId, Vector)>,
    ) -> Result<usize, Error> {
        self.post(AddVectors { owner: owner.clone(), model: model.to_owned(), vectors }).await
    }

    async fn progress(&self, owner: &Owner, model: &str) -> Result<Progress, Error> {
        let (owner, model) = (owner.clone(), model.to_owned());
        self.read(move |db| list::progress(db, &owner, &model)).await
    }
}

impl SqliteStore {
    /// What turns the words of an owner into tokens. Makes the owner's shelf first if there is none.
    async fn tokens(&self, owner: &Owner) -> Result<Tokens, Error> {
        let wanted = owner.clone();
        let look = move |db: &rusqlite::Connection| -> Result<Option<Tokens>, Halt> {
            Ok(list::shelf(db, &wanted)?.map(|shelf| Tokens::of(wanted, shelf.secret)))
        };
        self.trusted()?;
        if let Some(tokens) = self.pool.read(look.clone()).await? {
            return Ok(tokens);
        }
        self.post(MakeShelf { owner: owner.clone() }).await?;
        let made = self.pool.read(look).await?;
        made.ok_or_else(|| Error::Damaged(format!("owner {owner} has no shelf")))
    }

    /// Leaves nothing of what was removed in the WAL either.
    pub(super) async fn erase(&self) -> Result<(), Error> {
        let home = self.home.clone();
        self.in_background(move || empty_wal(&home)).await
    }
}
