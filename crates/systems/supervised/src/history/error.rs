//! Why a history could not be read or written.

use std::{io, path::Path};

/// Why a history could not be read or written.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// There is no `jobHistory.json`. The caller creates it, or rebuilds it from the journal.
    #[error("there is no job history in {dir:?}")]
    Missing { dir: std::path::PathBuf },
    /// It was torn by a crash or edited. [`HistoryFile::repair`](super::HistoryFile::repair) keeps what is whole,
    /// [`rebuild`](super::rebuild()) writes it anew.
    #[error("the job history is damaged{}: {why}", at(*.sequence))]
    Damaged {
        /// The interaction at which it shows, where one can be named.
        sequence: Option<u64>,
        why: String,
    },
    /// It is of the time before versions, or another program's: [`migrate`](super::migrate()) takes it over.
    #[error("the job history in {dir:?} has an older form and must be migrated")]
    NeedsMigration { dir: std::path::PathBuf },
    /// A newer program wrote it. Nothing was changed.
    #[error("the job history has version {version}, and this program reads 1.x: use a newer one")]
    TooNew { version: String },
    /// The caller's mistake. Nothing was changed.
    #[error("not written to the job history: {why}")]
    Refused { why: String },
    /// The disk. What was being written may be torn.
    #[error(transparent)]
    Io(#[from] consign_files::Error),
}

fn at(sequence: Option<u64>) -> String {
    sequence.map_or_else(String::new, |sequence| format!(" at interaction {sequence}"))
}

impl Error {
    pub(super) fn damaged(sequence: impl Into<Option<u64>>, why: impl Into<String>) -> Self {
        Self::Damaged { sequence: sequence.into(), why: why.into() }
    }

    pub(super) fn refused(why: impl Into<String>) -> Self {
        Self::Refused { why: why.into() }
    }

    /// Turns an error of the system into ours.
    pub(super) fn io(
        doing: &'static str,
        path: impl AsRef<Path>,
    ) -> impl FnOnce(io::Error) -> Self {
        move |source| {
            let path = path.as_ref().to_owned();
            Self::Io(consign_files::Error::Io { doing, path, source })
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn damage_is_named_by_its_interaction_where_there_is_one() {
        let told = Error::damaged(7, "the line is no JSON object").to_string();
        assert_eq!(told, "the job history is damaged at interaction 7: the line is no JSON object");
        let told = Error::damaged(None, "it has no head").to_string();
        assert_eq!(told, "the job history is damaged: it has no head");
    }
}
