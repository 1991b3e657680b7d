//! Back-ups of a home: a copy that is taken while servers and workers go on, and a home that is made of it.
//!
//! [`back_up`] writes a new folder; [`restore`] makes a home of it and proves what is in it. The folder has the files of
//! the home under their names, and a [`Manifest`] with the hash of each.
//!
//! The database is the truth about everything else, so what it names is copied after it or together with it, and what is
//! written from it (the files of jobs) before it: files that are behind the journal are repaired, files that
//! are ahead of it would look edited. A folder has its name only when it is complete and durable. Nothing here is about
//! one surface, and nothing of a home is changed by a back-up.

mod make;
mod manifest;
mod partial;
mod restore;
mod tree;
mod verify;

pub use self::{
    make::{BackUp, BackedUp, SealingKey, back_up},
    manifest::{MANIFEST, Manifest},
    restore::{Restore, Restored, restore},
    verify::{Broken, Verified, Verify},
};

use crate::error::{Error, Refused};

/// What of a home is never copied: locks, and files that only living processes use.
fn is_of_a_process(name: &str) -> bool {
    let locks = ["workers", "write.lock", "sealing.lock", "vectors.lock"];
    locks.contains(&name) || ["consign.db-wal", "consign.db-shm", RESTORING].contains(&name)
}

/// The key that seals the keys of providers.
const SEALING_KEY: &str = "sealing.key";
/// Where a home that is being restored has its files until they are checked.
const RESTORING: &str = ".restoring";

/// A failure of the disk, with its cause.
fn failed(error: &consign_files::Error) -> Error {
    let cause = std::error::Error::source(error).map(|cause| format!(": {cause}"));
    let told = format!("{error}{}", cause.unwrap_or_default());
    Refused::new("BACKUP_FAILED", told)
        .hint("nothing was left behind; check the disk and try again")
        .into()
}

/// Does what waits for the disk on a thread of its own.
async fn in_background<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, Error> + Send + 'static,
) -> Result<T, Error> {
    let done = tokio::task::spawn_blocking(work).await;
    done.map_err(|cause| Refused::new("INTERNAL", format!("the work was aborted: {cause}")))?
}
