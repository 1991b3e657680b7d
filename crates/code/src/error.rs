//! Why something about a repository could not be said.

use std::io;

/// Every variant is fit to be shown to whoever asked: none has more of the machine than the path that
/// was given.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The root itself cannot be read; nothing else will work either.
    #[error("{root} is not a directory that can be read")]
    Root {
        root: String,
        #[source]
        source: io::Error,
    },
    /// Refused before, or by, opening it. The path is wrong or means harm; trying again is no use.
    #[error("{path:?} leads out of the repository")]
    Outside { path: String },
    #[error("there is no file {path:?} in the repository")]
    Missing { path: String },
    /// Whoever opened the repository hides it; whether it is there is not said.
    #[error("{path:?} may not be looked at")]
    Hidden { path: String },
    /// In a `.git`, where tokens are. What happened is asked of the history.
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
    #[error("no grammar knows the language of {path:?}")]
    NoGrammar { path: String },
    /// It took longer, or is nested deeper, than a file that people wrote.
    #[error("{path:?} could not be parsed within its limits")]
    Unparsed { path: String },
    /// The repository has no history that may be read, and why.
    #[error("there is no history to read: {reason}")]
    NoHistory { reason: String },
    #[error("could not {doing} in the history")]
    History {
        doing: &'static str,
        #[source]
        source: git2::Error,
    },
    /// Whoever asked has asked to stop. What was found so far is lost.
    #[error("cancelled")]
    Cancelled,
}
