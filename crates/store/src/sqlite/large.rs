//! Picks the values of a step that are kept in files.
//!
//! The caller's task writes these files before it posts the step: compressing and syncing them on
//! the writer thread would delay the steps of all others.

use consign_engine::{
    Data, Owner, RunId, Seq,
    journal::{Content, Record},
    store::{Error, Snapshot},
};

use super::store_folder::StoreFolder;
use crate::blobs::{Blobs, LARGE, Name, Secret};

/// Values that are too large for a row.
#[derive(Clone, Debug, Default)]
pub(crate) struct Large {
    bodies: Vec<(Seq, Data)>,
    state: Option<Data>,
}

/// Whose secret names the files.
#[derive(Clone, Debug)]
pub(crate) enum Whose {
    Owner(Owner),
    Run(RunId),
}

/// The names of the files that were written.
#[derive(Clone, Debug, Default)]
pub(crate) struct Names {
    bodies: Vec<(Seq, Name)>,
    state: Option<Name>,
}

impl Large {
    pub(crate) fn of(records: &[Record], snapshot: Option<&Snapshot>) -> Self {
        let is_large = |data: &&Data| data.as_str().len() > LARGE;
        let body = |record: &Record| match &record.content {
            Content::Kept(body, _) => Some(body).filter(is_large).map(|b| (record.seq, b.clone())),
            Content::Redacted(_) => None,
        };
        let state = snapshot.map(|snapshot| &snapshot.state).filter(is_large).cloned();
        Self { bodies: records.iter().filter_map(body).collect(), state }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.bodies.is_empty() && self.state.is_none()
    }

    pub(crate) fn put(&self, blobs: &Blobs, secret: &Secret) -> Result<Names, Error> {
        let put = |data: &Data| blobs.put(secret, data.as_str());
        let bodies = self.bodies.iter().map(|(seq, body)| Ok((*seq, put(body)?)));
        let bodies = bodies.collect::<Result<_, Error>>()?;
        Ok(Names { bodies, state: self.state.as_ref().map(put).transpose()? })
    }
}

impl Names {
    pub(crate) fn body(&self, seq: Seq) -> Option<&Name> {
        self.bodies.iter().find(|(of, _)| *of == seq).map(|(_, name)| name)
    }

    pub(crate) fn state(&self) -> Option<&Name> {
        self.state.as_ref()
    }

    /// Whether no sweep removed one of the files. The caller has the write lock, so no sweep can do
    /// so after this check.
    pub(crate) fn are_there(&self, home: &StoreFolder) -> bool {
        if self.bodies.is_empty() && self.state.is_none() {
            return true;
        }
        let blobs = Blobs::new(home.blobs());
        self.bodies.iter().map(|(_, name)| name).chain(&self.state).all(|name| blobs.has(name))
    }
}
