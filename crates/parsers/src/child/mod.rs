//! Files of strangers are read in a process of their own.
//!
//! [`Worker`] starts a program that calls [`serve`] (a hidden subcommand of ours) and talks to it over its pipes. The
//! process limits its own memory before it looks at a file; it is killed when a file takes too long. Whatever becomes
//! of it, the caller gets a [`ParseError`], and the next file gets a new process.
//!
//! The password of a file and the file itself go through the pipe only: they are in no argument, no environment and no
//! temporary file.

mod serve;
mod wire;
mod worker;

pub use self::{serve::serve, worker::Worker};

use std::{ffi::OsString, path::Path};

use crate::{Document, Options, ParseError};

/// Reads one file in a process of its own.
///
/// `program` and `arguments` are what to start; it must call [`serve`]. `stopped` is asked every few milliseconds
/// whether the caller still wants it.
///
/// # Errors
/// When the file cannot be read, or the process cannot be started.
pub fn parse_in_child(
    program: &Path,
    arguments: &[OsString],
    bytes: &[u8],
    options: &Options,
    stopped: &dyn Fn() -> bool,
) -> Result<Document, ParseError> {
    Worker::new(program, arguments).parse(bytes, options, stopped)
}
