//! The limit on open file handles: checks that it is enough for this process, and says what helps if not.

use std::{io, os::fd::AsFd};

use rustix::process::{Resource, getrlimit};

use crate::error::Error;

/// What a runtime takes for itself: it panics where it cannot have them, so we look first.
const FOR_RUNTIME: usize = 6;
/// Nothing of ours fails for want of handles where so many are allowed; a command needs about 25.
const PLENTY: u64 = 128;

/// Fails unless a runtime can start.
pub(crate) fn enough() -> Result<(), Error> {
    let stderr = io::stderr();
    let tried: io::Result<Vec<_>> =
        (0..FOR_RUNTIME).map(|_| stderr.as_fd().try_clone_to_owned()).collect();
    tried.map(drop).map_err(|cause| {
        Error::new("NO_FILE_HANDLES", format!("no file handles left: {cause}")).hint(raise())
    })
}

/// What helps, if it was for want of handles that something could not be opened. SQLite does not
/// tell that from other reasons, but a low limit does.
pub(crate) fn hint(told: &str) -> Option<String> {
    let low = getrlimit(Resource::Nofile).current.is_some_and(|limit| limit < PLENTY);
    let open_files = told.contains("oo many open files");
    (told.contains("os error 24") || low && open_files).then(raise)
}

fn raise() -> String {
    match getrlimit(Resource::Nofile).current {
        Some(limit) => format!(
            "raise the limit of open files with `ulimit -n {}`; now it is {limit}",
            (limit * 4).max(1024)
        ),
        None => "close other programs: the machine has no file handles left".to_owned(),
    }
}
