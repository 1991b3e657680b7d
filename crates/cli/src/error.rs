//! How a command ends: an exit code, and for a failure a code, a message and a hint.
//!
//! [`Error::report`] is the only place that prints an error.

use std::{
    borrow::Cow,
    io::{self, Write},
    path::Path,
    process::ExitCode,
};

use anstyle::AnsiColor;
use consign_contracts::json::{Json, Object};

use crate::output::{object, printable};

/// The exit codes of every command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Exit {
    /// Done, and what was asked about is as it should be.
    Done = 0,
    /// An error, or a document that breaks its contract.
    Failed = 1,
    /// The command line itself is wrong.
    Usage = 2,
    /// What was delivered to a run was taken, and going on with the run failed. After an ordinary failure
    /// the caller would deliver it again.
    Taken = 3,
    /// The run waits for the answer of an agent outside.
    WaitsForAgent = 42,
    /// The run waits for a person, or for a higher limit.
    WaitsForPerson = 43,
    /// Stopped by Ctrl-C, as shells write it.
    Interrupted = 130,
    /// Stopped by SIGTERM, as shells write it.
    Terminated = 143,
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(exit as u8)
    }
}

/// Why a command could not do its work.
#[derive(Debug)]
pub(crate) struct Error {
    pub(crate) code: Cow<'static, str>,
    pub(crate) message: String,
    /// What there is to say one by one: breaches, candidates.
    pub(crate) lines: Vec<String>,
    pub(crate) hint: Option<String>,
    pub(crate) exit: Exit,
    /// What a program may want to know besides.
    details: Object<'static>,
    broken_pipe: bool,
}

impl Error {
    pub(crate) fn new(code: impl Into<Cow<'static, str>>, message: impl Into<String>) -> Self {
        Self {
            code: code.into(),
            message: message.into(),
            lines: Vec::new(),
            hint: None,
            exit: Exit::Failed,
            details: Object::new(),
            broken_pipe: false,
        }
    }

    /// An error in the command line.
    pub(crate) fn usage(code: impl Into<Cow<'static, str>>, message: impl Into<String>) -> Self {
        Self { exit: Exit::Usage, ..Self::new(code, message) }
    }

    pub(crate) fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }

    /// Adds to what the hint says already.
    pub(crate) fn hint_too(self, more: impl AsRef<str>) -> Self {
        let hint = match &self.hint {
            Some(hint) => format!("{hint}; {}", more.as_ref()),
            None => more.as_ref().to_owned(),
        };
        self.hint(hint)
    }

    pub(crate) fn detail(mut self, name: &'static str, value: Json<'static>) -> Self {
        self.details.set(name, value);
        self
    }

    pub(crate) fn details(mut self, details: Object<'static>) -> Self {
        self.details = self.details.followed_by(details);
        self
    }

    /// Puts the id into a hint that names a run as RUN.
    pub(crate) fn about(mut self, run: impl AsRef<str>) -> Self {
        let named = format!(" {}", run.as_ref());
        self.hint = self.hint.map(|hint| hint.replace(" RUN", &named));
        self
    }

    pub(crate) fn listing(mut self, lines: impl IntoIterator<Item = String>) -> Self {
        self.lines.extend(lines);
        self
    }

    /// A file that could not be read.
    pub(crate) fn unreadable(file: &Path, cause: &io::Error) -> Self {
        let error =
            Self::new("FILE_UNREADABLE", format!("could not read {}: {cause}", file.display()));
        if cause.kind() == io::ErrorKind::NotFound {
            return error.hint("check the path");
        }
        error
    }

    /// The same where standard input would do.
    pub(crate) fn unreadable_input(file: &Path, cause: &io::Error) -> Self {
        let error = Self::unreadable(file, cause);
        if cause.kind() == io::ErrorKind::NotFound {
            return error.hint_too("`-` reads from standard input");
        }
        error
    }

    pub(crate) fn is_broken_pipe(&self) -> bool {
        self.broken_pipe
    }

    /// Tells the user, on standard error: in words, or as one object on a line for programs. A failure to
    /// write is ignored: there is no other place to report it.
    pub(crate) fn report(&self, json: bool, color: anstream::ColorChoice) {
        if json {
            let _ = writeln!(io::stderr(), "{}", self.for_program());
            return;
        }
        let mut out = anstream::AutoStream::new(io::stderr(), color);
        let red = AnsiColor::Red.on_default().bold();
        let cyan = AnsiColor::Cyan.on_default();
        let message = printable(&self.message);
        let _ = writeln!(out, "{red}error[{}]:{red:#} {message}", printable(&self.code));
        for line in &self.lines {
            let _ = writeln!(out, "  {}", printable(line));
        }
        if let Some(hint) = &self.hint {
            let _ = writeln!(out, "{cyan}hint:{cyan:#} {}", printable(hint));
        }
    }
}

impl Error {
    /// `{"error": {"code", "message", "hint"?, "details"?}}`
    fn for_program(&self) -> Json<'_> {
        let text = |text: &str| Json::String(text.to_owned().into());
        let mut error = object([("code", text(&self.code)), ("message", text(&self.message))]);
        if let Some(hint) = &self.hint {
            error.set("hint", text(hint));
        }
        if let Some(details) = self.details_for_program() {
            error.set("details", Json::Object(details));
        }
        Json::Object(object([("error", Json::Object(error))]))
    }

    /// What a program may want to know besides, if there is anything.
    pub(crate) fn details_for_program(&self) -> Option<Object<'static>> {
        let text = |text: &String| Json::String(text.clone().into());
        let mut details = self.details.clone();
        if details.is_empty() && !self.lines.is_empty() {
            details.set("lines", Json::Array(self.lines.iter().map(text).collect()));
        }
        (!details.is_empty()).then_some(details)
    }
}

/// Writing our own output failed.
impl From<io::Error> for Error {
    fn from(cause: io::Error) -> Self {
        Self {
            broken_pipe: cause.kind() == io::ErrorKind::BrokenPipe,
            ..Self::new("OUTPUT_FAILED", format!("could not write the output: {cause}"))
        }
    }
}
