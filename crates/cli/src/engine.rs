//! The home of this process, and a runtime to work on it.
//!
//! A command asks for a [`Session`] and gets a runtime with it; commands that need no engine never pay for one.

use std::time::Duration;

use anstream::ColorChoice;
pub(crate) use consign_app::{
    Home as Session,
    machine::{host, now, random},
};

use crate::{error::Error, handles, home, locks, output::warn};

/// Does some work with the engine of our directory.
pub(crate) fn session<T>(work: impl AsyncFnOnce(&Session) -> Result<T, Error>) -> Result<T, Error> {
    let home = home::path().map_err(|why| {
        Error::new("STORE_UNAVAILABLE", why).hint("`consign doctor` looks at the directory")
    })?;
    locks::tell_waits(&home);
    complete(async {
        let session = Session::open(home).await?;
        if session.is_read_only {
            let told =
                format!("{} is read-only: it can be read, not changed", session.folder.display());
            warn(ColorChoice::Never, told);
        }
        work(&session).await
    })
}

/// Works on a runtime of its own, which does not wait forever for threads that do not end.
pub(crate) fn complete<T>(work: impl Future<Output = Result<T, Error>>) -> Result<T, Error> {
    let runtime = runtime()?;
    let done = runtime.block_on(work);
    runtime.shutdown_timeout(LEAVE);
    done
}

/// How long threads have to end when everything is done.
const LEAVE: Duration = Duration::from_secs(10);

/// Threads for what would hold up the others: the agents that look through code, reads of the store, requests.
const MOST_THREADS: usize = 1024;

/// One thread is enough: agents wait for the outside, and the store has threads of its own.
pub(crate) fn runtime() -> Result<tokio::runtime::Runtime, Error> {
    handles::enough()?;
    tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .max_blocking_threads(MOST_THREADS)
        .build()
        .map_err(|cause| Error::new("INTERNAL", format!("could not start: {cause}")))
}
