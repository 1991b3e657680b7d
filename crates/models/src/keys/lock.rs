//! One process at a time changes keys: a key must not be sealed with a sealing key that another
//! process is about to throw away.

use std::{
    fs::File,
    path::{Path, PathBuf},
    time::Duration,
};

use rustix::{
    fs::{FlockOperation, Mode, OFlags, flock, open},
    io::Errno,
};
use tokio::time::{Instant, sleep};

use super::{error::Error, file::disk};

/// Whoever has it may change keys. It ends with the value, and with the process.
#[derive(Debug)]
pub(super) struct KeyFileLock(
    #[expect(dead_code, reason = "its lock is held by being there")] File,
);

/// No change takes this long, unless somebody has stopped it.
const PATIENCE: Duration = Duration::from_secs(10);
const LOOK_EVERY: Duration = Duration::from_millis(20);

fn path(folder: &Path) -> PathBuf {
    folder.join("sealing.lock")
}

/// Waits for its turn. [`Error::Busy`] if that does not come.
pub(super) async fn turn(folder: &Path) -> Result<KeyFileLock, Error> {
    let path = path(folder);
    let flags = OFlags::RDWR | OFlags::CREATE | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let file = open(&path, flags, Mode::RUSR | Mode::WUSR);
    let file = File::from(file.map_err(|error| disk("open", &path, error.into()))?);
    let until = Instant::now() + PATIENCE;
    loop {
        match flock(&file, FlockOperation::NonBlockingLockExclusive) {
            Ok(()) => return Ok(KeyFileLock(file)),
            Err(Errno::WOULDBLOCK | Errno::INTR) if Instant::now() < until => {
                sleep(LOOK_EVERY).await;
            }
            Err(Errno::WOULDBLOCK | Errno::INTR) => return Err(Error::Busy),
            Err(error) => return Err(disk("lock", &path, error.into())),
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
