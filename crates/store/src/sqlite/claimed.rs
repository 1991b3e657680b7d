//! Loads runs that were just claimed, or puts them back, so that no run stays claimed by a worker
//! that could not load it.

use std::sync::PoisonError;

use consign_engine::{
    RunId, Status, WorkerId,
    store::{Error, Loaded, Refusal},
};

use super::{
    read,
    store::SqliteStore,
    write::{PutBack, Taken},
};

impl SqliteStore {
    /// Loads all of them, or puts all of them back. A damaged run is set to waiting instead: in the
    /// queue it would be claimed again and again.
    pub(super) async fn load_claimed(
        &self,
        worker: &WorkerId,
        taken: Vec<Taken>,
    ) -> Result<Vec<Result<Loaded, Error>>, Error> {
        let blobs = self.blobs.clone();
        let names: Vec<RunId> = taken.iter().map(|taken| taken.run.clone()).collect();
        let loaded = self.pool.read(move |db| {
            let load = |run| read::load(db, &blobs, run).map_err(Error::from);
            Ok(names.iter().map(load).collect::<Vec<_>>())
        });
        let loaded = loaded.await.and_then(whole).map(|loaded| ours(worker, &taken, loaded));
        let put_back = |taken, status| PutBack { worker: worker.clone(), taken, status };
        let unloaded: Vec<_> = match &loaded {
            Ok(loaded) => {
                let damaged = taken
                    .into_iter()
                    .zip(loaded)
                    .filter(|(_, run)| matches!(run, Err(Error::Damaged(_))));
                damaged.map(|(taken, _)| put_back(taken, Status::Waiting)).collect()
            }
            Err(_) => taken.into_iter().map(|taken| put_back(taken, Status::Queued)).collect(),
        };
        self.owe(unloaded);
        // If it fails, it is tried again; those that were loaded must not be left alone for it.
        let _ = self.put_back_owed().await;
        loaded
    }

    /// Puts back runs that could not be put back before. Their worker is alive, so no other process
    /// would ever free them.
    pub(super) async fn put_back_owed(&self) -> Result<(), Error> {
        let owed = std::mem::take(&mut *self.owed.lock().unwrap_or_else(PoisonError::into_inner));
        if owed.is_empty() {
            return Ok(());
        }
        let done = self.post(owed.clone()).await;
        if done.is_err() {
            self.owe(owed);
        }
        done
    }

    fn owe(&self, runs: Vec<PutBack>) {
        self.owed.lock().unwrap_or_else(PoisonError::into_inner).extend(runs);
    }
}

/// Another process may have taken this worker for dead and freed the run since. A claim is given
/// only to its own worker, because the claim is all that tells two holders apart.
fn ours(
    worker: &WorkerId,
    taken: &[Taken],
    loaded: Vec<Result<Loaded, Error>>,
) -> Vec<Result<Loaded, Error>> {
    let own = |(loaded, taken): (Result<Loaded, Error>, &Taken)| match loaded {
        Ok(loaded)
            if (loaded.row.worker.as_ref(), loaded.row.epoch) != (Some(worker), taken.epoch) =>
        {
            Err(Refusal::Fenced.into())
        }
        loaded => loaded,
    };
    loaded.into_iter().zip(taken).map(own).collect()
}

/// Any failure but damage may be gone at the next try.
fn whole(loaded: Vec<Result<Loaded, Error>>) -> Result<Vec<Result<Loaded, Error>>, Error> {
    let passing = loaded.iter().find_map(|run| match run {
        Ok(_) | Err(Error::Damaged(_)) => None,
        Err(error) => Some(error.clone()),
    });
    passing.map_or(Ok(loaded), Err)
}
