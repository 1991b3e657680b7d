//! The reason why a creation stopped, and what the user can do.

use crate::folder;

/// A reason, where it lies and what to do about it.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct Stopped {
    pub code: &'static str,
    pub message: String,
    /// One by one: breaches, files.
    pub lines: Vec<String>,
    pub hint: Option<String>,
    /// Whether it can continue from here once that is fixed. Otherwise the files of the bridge are
    /// of no use.
    pub resumable: bool,
}

impl Stopped {
    #[must_use]
    pub fn new(code: &'static str, message: impl Into<String>) -> Self {
        Self { code, message: message.into(), lines: Vec::new(), hint: None, resumable: true }
    }

    #[must_use]
    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }

    #[must_use]
    pub fn listing(mut self, lines: impl IntoIterator<Item = String>) -> Self {
        self.lines.extend(lines);
        self
    }

    /// Marks it as final: it cannot continue from here.
    #[must_use]
    pub fn for_good(mut self) -> Self {
        self.resumable = false;
        self
    }
}

impl From<folder::Error> for Stopped {
    fn from(error: folder::Error) -> Self {
        let cause = std::error::Error::source(&error).map(ToString::to_string);
        let message = match cause {
            Some(cause) => format!("{error}: {cause}"),
            None => error.to_string(),
        };
        let (code, hint) = match &error {
            folder::Error::NotAFolder { .. } => {
                ("PROJECT_UNREADABLE", "--path names the project's root")
            }
            folder::Error::Link { .. } => {
                ("LINK_REFUSED", "remove the link, or put the file itself there")
            }
            folder::Error::NotAFile { .. } | folder::Error::Taken { .. } => {
                ("FILE_REFUSED", "remove it, and try again")
            }
            folder::Error::TooLarge { .. } => {
                ("FILE_TOO_LARGE", "remove it, and write a shorter answer")
            }
            folder::Error::Busy { .. } => {
                ("PROJECT_BUSY", "wait for it, or stop it; nothing was changed")
            }
            folder::Error::Io { .. } => {
                ("PROJECT_UNWRITABLE", "make the project's folder writable, then try again")
            }
        };
        Self::new(code, message).hint(hint)
    }
}
