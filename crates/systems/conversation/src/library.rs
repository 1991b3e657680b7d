//! What the agents of documents work on, composed by the caller.

use std::{fmt::Write as _, path::PathBuf, sync::Arc};

use async_trait::async_trait;
use consign_connector::{Connector, Credentials, Validators};
use consign_engine::{At, Clock, Owner, RunId};
use consign_files::{Access, trusted};
use consign_knowledge::{Index, SourceId};

use crate::FileReader;

/// The credentials of an owner.
pub type CredentialsOf = Arc<dyn Fn(&Owner) -> Arc<dyn Credentials> + Send + Sync>;

/// A connector, a reader of files and an index, and the folder that they pass files on in.
#[derive(Clone)]
pub struct Library {
    pub index: Arc<dyn Index>,
    /// Makes the connector of an owner: credentials are an owner's own.
    pub connectors: Arc<dyn Fn(&Owner) -> Connector + Send + Sync>,
    pub credentials: CredentialsOf,
    pub reader: Arc<dyn FileReader>,
    /// A folder of its own below the home; each run has a folder in it.
    pub folder: PathBuf,
    /// Where files lie that were sent to be taken in, a folder for each run.
    pub sent: PathBuf,
    /// What runs were given before this process had them.
    pub given: Arc<dyn Given>,
    pub clock: Arc<dyn Clock>,
}

/// Tells what a run was given by its journal, so that a run that goes on in another process fetches nothing twice.
#[async_trait]
pub trait Given: Send + Sync {
    /// Every item that the connector's steps of this run have given, with what tells whether it has changed.
    async fn given(&self, run: &RunId) -> Result<Vec<(String, Option<Validators>)>, String>;
}

/// Nothing was given before.
#[derive(Clone, Copy, Debug, Default)]
pub struct NothingGiven;

#[async_trait]
impl Given for NothingGiven {
    async fn given(&self, _: &RunId) -> Result<Vec<(String, Option<Validators>)>, String> {
        Ok(Vec::new())
    }
}

impl Library {
    /// The folder of a run.
    #[must_use]
    pub fn folder_of(&self, run: &RunId) -> PathBuf {
        self.folder.join(Self::name_of(run))
    }

    /// The folder of what was sent to a run.
    #[must_use]
    pub fn sent_to(&self, run: &RunId) -> PathBuf {
        self.sent.join(Self::name_of(run))
    }

    /// Notes that a source is removed, for a run that may be taking it in: nothing of it is kept by that run any more.
    pub fn note_removed(&self, run: &RunId, source: &SourceId) -> Result<(), consign_files::Error> {
        trusted::create_folders(&self.folder_of(run), 0o700)?;
        trusted::write_atomic(&self.removal_of(run, source), b"", Access::Private)
    }

    /// Whether a source was removed while this run was under way.
    #[must_use]
    pub fn is_removed(&self, run: &RunId, source: &SourceId) -> bool {
        self.removal_of(run, source).exists()
    }

    fn removal_of(&self, run: &RunId, source: &SourceId) -> PathBuf {
        let name = hex::encode(source.as_str());
        self.folder_of(run).join(format!("{name}.removed"))
    }

    /// What folders of a run are called.
    #[must_use]
    pub fn name_of(run: &RunId) -> String {
        let mut name = String::new();
        // A user may have chosen the name: nothing in it may mean something to a file system.
        for byte in run.as_str().bytes() {
            if byte.is_ascii_alphanumeric() || byte == b'-' {
                name.push(char::from(byte));
            } else {
                let _ = write!(name, "_{byte:02x}");
            }
        }
        name
    }

    /// The run that a folder is of, by its name.
    #[must_use]
    pub fn run_of(folder: &str) -> Option<RunId> {
        let (mut bytes, mut rest) = (Vec::new(), folder.as_bytes());
        while let Some((first, after)) = rest.split_first() {
            if *first == b'_' {
                let (code, after) = after.split_at_checked(2)?;
                let code = std::str::from_utf8(code).ok()?;
                bytes.push(u8::from_str_radix(code, 16).ok()?);
                rest = after;
            } else {
                bytes.push(*first);
                rest = after;
            }
        }
        String::from_utf8(bytes).ok().map(|name| RunId::from(name.as_str()))
    }

    pub(crate) fn now(&self) -> At {
        self.clock.wall()
    }
}
