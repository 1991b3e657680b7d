//! The lock for changing keys. Only one process at a time may do so: a key must not be sealed with
//! a sealing key that another process is about to remove.

use std::{
    path::{Path, PathBuf},
    time::Duration,
};

use consign_files::{Access, Lock};
use tokio::time::{Instant, sleep};

use super::{error::Error, file::disk};

/// The right to change keys. It ends when this is dropped, and with the process.
#[derive(Debug)]
pub(super) struct KeyFileLock(#[expect(dead_code, reason = "it is held by being there")] Lock);

/// How long to wait. No change takes this long, unless its process is suspended.
const PATIENCE: Duration = Duration::from_secs(10);
const LOOK_EVERY: Duration = Duration::from_millis(20);

fn path(folder: &Path) -> PathBuf {
    folder.join("sealing.lock")
}

/// Waits for the lock. [`Error::Busy`] if it does not become free in time.
pub(super) async fn turn(folder: &Path) -> Result<KeyFileLock, Error> {
    let path = path(folder);
    let until = Instant::now() + PATIENCE;
    loop {
        match Lock::try_file(&path, Access::Private) {
            Ok(Some(lock)) => return Ok(KeyFileLock(lock)),
            Ok(None) if Instant::now() < until => sleep(LOOK_EVERY).await,
            Ok(None) => return Err(Error::Busy),
            Err(consign_files::Error::Io { doing, source, .. }) => {
                return Err(disk(doing, &path, source));
            }
            Err(error) => return Err(disk("open", &path, error.into())),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn one_waits_for_the_other_but_not_for_ever() {
        let folder = tempfile::tempdir().expect("a folder");
        let first = turn(folder.path()).await.expect("it is free");
        assert!(matches!(turn(folder.path()).await, Err(Error::Busy)));
        let (second, ()) = tokio::join!(turn(folder.path()), async {
            sleep(LOOK_EVERY * 5).await;
            drop(first);
        });
        second.expect("it came free");
    }
}
