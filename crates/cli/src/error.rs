//! How a command ends: an exit code, and for a failure a code, a message and a hint.

use std::{
    borrow::Cow,
    io::{self, Write},
    path::Path,
    process::ExitCode,
};

use anstyle::AnsiColor;

use crate::output::printable;

/// The exit codes of every command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Exit {
    /// Done, and what was asked about is as it should be.
    Done = 0,
    /// An error, or a document that breaks its contract.
    Failed = 1,
    /// The command line itself is wrong.
    Usage = 2,
    /// The run waits for the answer of an agent outside.
    WaitsForAgent = 42,
    /// The run waits for a person, or for a higher limit.
    WaitsForPerson = 43,
    /// Stopped by Ctrl-C, as shells write it.
    Interrupted = 130,
    /// Stopped by SIGTERM, likewise.
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
            return error.hint("check the path; `-` reads from standard input");
        }
        error
    }

    pub(crate) fn is_broken_pipe(&self) -> bool {
        self.broken_pipe
    }

    /// Tells the user, on standard error. There is nobody left to tell if that fails.
    pub(crate) fn report(&self, color: anstream::ColorChoice) {
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

/// Writing our own output failed.
impl From<io::Error> for Error {
    fn from(cause: io::Error) -> Self {
        Self {
            broken_pipe: cause.kind() == io::ErrorKind::BrokenPipe,
            ..Self::new("OUTPUT_FAILED", format!("could not write the output: {cause}"))
        }
    }
}
