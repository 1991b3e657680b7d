//! Why a use case could not be carried out.
//!
//! Each surface turns an [`Error`] into its own form: the command line into `error[CODE]` with a hint and an exit code,
//! HTTP into a status, MCP into a tool error. The code is the same everywhere.

use std::borrow::Cow;

use consign_contracts::json::{Json, Object};
use consign_engine::{Fault, store};

/// Why a use case could not be carried out.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The engine or its store refused it.
    #[error(transparent)]
    Engine(#[from] consign_engine::Error),
    /// What was asked for cannot be done as it was asked.
    #[error("{0}")]
    Refused(Box<Refused>),
}

impl From<store::Error> for Error {
    fn from(error: store::Error) -> Self {
        Self::Engine(error.into())
    }
}

impl From<Fault> for Error {
    fn from(fault: Fault) -> Self {
        Self::Engine(fault.into())
    }
}

impl From<Refused> for Error {
    fn from(refused: Refused) -> Self {
        Self::Refused(Box::new(refused))
    }
}

/// A request that cannot be carried out, and why.
#[derive(Clone, Debug, thiserror::Error)]
#[error("{message}")]
pub struct Refused {
    pub code: Cow<'static, str>,
    pub message: String,
    /// What there is to say one by one: faults of a file, candidates for a name.
    pub lines: Vec<String>,
    /// What to do about it.
    pub hint: Option<String>,
    /// What a program may want to know besides.
    pub details: Object<'static>,
    /// The request itself is wrong, whatever the state of things.
    pub is_usage: bool,
}

impl Refused {
    pub fn new(code: impl Into<Cow<'static, str>>, message: impl Into<String>) -> Self {
        Self {
            code: code.into(),
            message: message.into(),
            lines: Vec::new(),
            hint: None,
            details: Object::new(),
            is_usage: false,
        }
    }

    /// A request that is wrong by itself.
    pub fn usage(code: impl Into<Cow<'static, str>>, message: impl Into<String>) -> Self {
        Self { is_usage: true, ..Self::new(code, message) }
    }

    /// A file that could not be read.
    #[must_use]
    pub fn unreadable(file: &std::path::Path, cause: &std::io::Error) -> Self {
        let refused =
            Self::new("FILE_UNREADABLE", format!("could not read {}: {cause}", file.display()));
        if cause.kind() == std::io::ErrorKind::NotFound {
            return refused.hint("check the path");
        }
        refused
    }

    #[must_use]
    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }

    #[must_use]
    pub fn detail(mut self, name: &'static str, value: Json<'static>) -> Self {
        self.details.set(name, value);
        self
    }

    #[must_use]
    pub fn listing(mut self, lines: impl IntoIterator<Item = String>) -> Self {
        self.lines.extend(lines);
        self
    }
}
