//! Loading runs that were just claimed, so that none is left with a holder who knows nothing of it.

use consign_engine::{
    RunId, Status, WorkerId,
    store::{Error, Loaded},
};

use super::{read, store::SqliteStore, write::PutBack};

impl SqliteStore {
    /// Loads them all, or puts them all back. One that is damaged is put aside to wait: back in the
    /// queue it would be claimed again and again.
    pub(super) async fn load_claimed(
        &self,
        worker: &WorkerId,
        runs: Vec<RunId>,
    ) -> Result<Vec<Result<Loaded, Error>>, Error> {
        let (blobs, names) = (self.blobs.clone(), runs.clone());
        let loaded = self.pool.read(move |db| {
            let load = |run| read::load(db, &blobs, run).map_err(Error::from);
            Ok(names.iter().map(load).collect::<Vec<_>>())
        });
        let loaded = loaded.await.and_then(whole);
        let put_back = |run, status| self.post(PutBack { worker: worker.clone(), run, status });
        match &loaded {
            Ok(loaded) => {
                for (run, _) in runs.into_iter().zip(loaded).filter(|(_, run)| run.is_err()) {
                    put_back(run, Status::Waiting).await?;
                }
            }
            Err(_) => {
                for run in runs {
                    put_back(run, Status::Queued).await?;
                }
            }
        }
        loaded
    }
}

/// Any failure but damage may be gone the next time.
fn whole(loaded: Vec<Result<Loaded, Error>>) -> Result<Vec<Result<Loaded, Error>>, Error> {
    let passing = loaded.iter().find_map(|run| match run {
        Ok(_) | Err(Error::Damaged(_)) => None,
        Err(error) => Some(error.clone()),
    });
    passing.map_or(Ok(loaded), Err)
}
