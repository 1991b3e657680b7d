//! The errors of a repository.

use std::io;

/// Why something could not be answered. Every message can be shown to the user: it names no more of
/// the machine than the path that was given.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The root itself cannot be read; nothing else will work either.
    #[error("{root} is not a directory that can be read")]
    Root {
        root: String,
        #[source]
        source: io::Error,
    },
    /// Refused before, or by, opening it. The path is wrong or malicious; another attempt would not
    /// help.
    #[error("{path:?} leads out of the repository")]
    Outside { path: String },
    #[error("there is no file {path:?} in the repository")]
    Missing { path: String },
    /// The caller of [`Repository::hiding`](crate::Repository::hiding) hides it; whether it exists
    /// is not said.
    #[error("{path:?} is hidden and cannot be read")]
    Hidden { path: String },
    /// It is in a `.git`, which may hold tokens. The history has its own functions.
    #[error("{path:?} belongs to git and is not read as code")]
    OfGit { path: String },
    /// A directory, a pipe or a device where a file was expected, or a file for a directory.
    #[error("{path:?} is not a {expected}")]
    Unfit { path: String, expected: &'static str },
    #[error("{path:?} is larger than {limit} bytes")]
    TooLarge { path: String, limit: u64 },
    #[error("{path:?} is binary")]
    Binary { path: String },
    #[error("could not read {path:?}")]
    Read {
        path: String,
        #[source]
        source: io::Error,
    },
    /// The pattern or glob cannot be used. `reason` says what is wrong, and where if that is known.
    #[error("the pattern {pattern:?} cannot be used: {reason}")]
    Pattern { pattern: String, reason: String },
    /// There is no grammar for the language of this file.
    #[error("the language of {path:?} is not supported")]
    NoGrammar { path: String },
    /// It takes longer to parse, or is nested deeper, than a file that people write.
    #[error("{path:?} is too complex to be parsed")]
    Unparsed { path: String },
    /// The repository has no history that may be read, and why.
    #[error("the history cannot be read: {reason}")]
    NoHistory { reason: String },
    #[error("could not {doing} in the history")]
    History {
        doing: &'static str,
        #[source]
        source: git2::Error,
    },
    /// The caller cancelled the call. What was found so far is lost.
    #[error("cancelled")]
    Cancelled,
}
