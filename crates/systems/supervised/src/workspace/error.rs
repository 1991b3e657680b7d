//! What can go wrong with a workspace, in words for a person.

use std::{io, path::PathBuf};

use super::snapshot::TreeId;

/// Why a workspace was not read, kept, laid or written. Paths that come from the workspace are escaped, so that a name
/// cannot forge a line of a message.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The path and the cause are those of the file.
    #[error(transparent)]
    Files(#[from] consign_files::Error),
    #[error("could not {doing} {path:?}: {source}")]
    Io {
        doing: &'static str,
        path: PathBuf,
        #[source]
        source: io::Error,
    },
    #[error("the workspace has more than {most} files, folders and links")]
    TooMany { most: usize },
    #[error("the files of the workspace have more than {most} bytes; {path} no longer fits")]
    TooLarge { path: String, most: u64 },
    /// The workspace could not give it back under this path.
    #[error("{path} is too long a path")]
    TooLong { path: String },
    /// It is another kind of thing each time it is looked at, or the system cannot list it.
    #[error("{path} changes while it is read, or cannot be read whole")]
    Unsteady { path: String },
    /// The snapshot cannot be laid or compared. Another one may have the same content.
    #[error("the stored content {digest} of {path} {why}")]
    Damaged { path: String, digest: String, why: &'static str },
    #[error("there is no snapshot {id}")]
    NoSnapshot { id: TreeId },
    #[error("the list of files of snapshot {id} is damaged")]
    DamagedTree { id: TreeId },
    /// One at a time takes and lays the snapshots of a job.
    #[error("another process is taking or laying a snapshot in {path:?}")]
    Busy { path: PathBuf },
    /// Nothing was written.
    #[error("{path:?} is not written: {why}")]
    Refused { path: String, why: &'static str },
}

impl Error {
    /// For `map_err` of what the standard library does to a file.
    pub(super) fn io(
        doing: &'static str,
        path: impl Into<PathBuf>,
    ) -> impl FnOnce(io::Error) -> Self {
        let path = path.into();
        move |source| Self::Io { doing, path, source }
    }
}
