//! `consign parse-child`, hidden: the process in which files of strangers are read.

use consign_app::documents;

use crate::error::{Error, Exit};

/// Reads files that come on standard input until it is closed. It reports only to the process that started it.
pub(super) fn run() -> Result<Exit, Error> {
    Ok(match documents::serve_child() {
        Ok(()) => Exit::Done,
        Err(_) => Exit::Failed,
    })
}
