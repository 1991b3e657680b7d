//! Locks of references that a killed process has left behind.

use std::{
    fs, thread,
    time::{Duration, Instant},
};

use git2::{ErrorCode, Repository};

/// Git holds the lock of a reference for an instant. One that is older than this belongs to nobody any more.
const LEFT: Duration = Duration::from_secs(3);
const PAUSE: Duration = Duration::from_millis(50);

/// Changes a reference. If somebody has its lock, it waits; a lock that was left is removed.
pub(super) fn change<T>(
    git: &Repository,
    name: &str,
    mut work: impl FnMut() -> Result<T, git2::Error>,
) -> Result<T, git2::Error> {
    let began = Instant::now();
    loop {
        match work() {
            Err(error) if error.code() == ErrorCode::Locked && began.elapsed() < 2 * LEFT => {
                let lock = git.commondir().join(format!("{name}.lock"));
                let age = fs::symlink_metadata(&lock).and_then(|lock| lock.modified());
                let age = age.ok().and_then(|made| made.elapsed().ok());
                if age.is_some_and(|age| age >= LEFT) {
                    // If it cannot be removed, the next try says so.
                    fs::remove_file(&lock).ok();
                } else {
                    thread::sleep(PAUSE);
                }
            }
            done => return done,
        }
    }
}
