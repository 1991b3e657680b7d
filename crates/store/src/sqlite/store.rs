//! [`SqliteStore`]: how it is opened and closed, and the parts that its port uses.

use std::{
    io,
    path::Path,
    sync::{Arc, Mutex, OnceLock, PoisonError, Weak},
    time::Duration,
};

use consign_engine::{
    RunId,
    store::{Error, Loaded},
};
use tokio::task::spawn_blocking;
use tracing::error;

use super::{
    change_notifier::ChangeNotifier,
    index::Shelves,
    large::{Large, Names, Whose},
    lock::WriteLock,
    open::{self, OpenError},
    pool::Pool,
    read,
    store_folder::StoreFolder,
    workers::{Alive, WorkerLock, Workers},
    write::{CreateAccount, PutBack, WriteOutcome},
    writer::{Lost, Write, Writer},
};
use crate::blobs::Blobs;

#[derive(Clone, Debug)]
pub struct Options {
    /// How many reads go on at once.
    pub readers: usize,
    /// How often to check for commits of other processes.
    pub look_every: Duration,
    /// How many bytes of documents, above all vectors, are kept in memory for searches.
    pub search_memory: usize,
}

impl Default for Options {
    fn default() -> Self {
        let look_every = Duration::from_millis(15);
        Self { readers: 4, look_every, search_memory: 256 << 20 }
    }
}

/// The store in a directory. Open it as often as you like, in this process and in others.
///
/// Dropping it ends its thread once everything that was posted is written. No call that has
/// returned depends on that.
pub struct SqliteStore {
    pub(super) home: StoreFolder,
    pub(super) workers: Workers,
    pub(super) blobs: Blobs,
    pub(super) pool: Arc<Pool>,
    pub(super) notifier: Arc<ChangeNotifier>,
    pub(super) shelves: Arc<Shelves>,
    /// `None` in a store that was opened read-only.
    writer: Option<Writer>,
    /// Workers that were enlisted through this store.
    worker_locks: Mutex<Vec<Weak<WorkerLock>>>,
    /// Runs that were claimed here, could not be loaded, and could not be put back yet.
    pub(super) owed: Mutex<Vec<PutBack>>,
    lost: Lost,
}

/// How often large values are put again after a sweep removed them.
const PUTS: usize = 5;

impl SqliteStore {
    /// Opens the store in `home`, and makes or migrates it if need be.
    pub fn open(home: &Path, options: &Options) -> Result<Self, OpenError> {
        let home = StoreFolder::make(home).map_err(unmade(home))?;
        let lock = WriteLock::open(&home.write_lock()).map_err(unmade(&home.write_lock()))?;
        let db = open::for_writing(&home, &lock)?;
        let database = |source| OpenError::Database { path: home.database(), source };
        let look = open::for_reading(&home).map_err(database)?;
        let notifier = ChangeNotifier::new(look, options.look_every).map_err(database)?;
        let lost = Arc::new(OnceLock::new());
        let writer = Writer::start(db, lock, home.clone(), notifier.clone(), lost.clone());
        Ok(Self {
            workers: Workers::of(&home),
            blobs: Blobs::new(home.blobs()),
            pool: Pool::new(home.clone(), options.readers),
            notifier,
            writer: Some(writer.map_err(unmade(&home.database()))?),
            shelves: Shelves::new(options.search_memory),
            worker_locks: Mutex::default(),
            owed: Mutex::default(),
            lost,
            home,
        })
    }

    /// Opens the store in `home` as it is, also where nothing can be written. Every call that would
    /// write returns [`Error::Unavailable`].
    pub fn open_to_look(home: &Path, options: &Options) -> Result<Self, OpenError> {
        let home = StoreFolder::at(home);
        open::check_to_look(&home)?;
        let database = |source| OpenError::Database { path: home.database(), source };
        let look = open::for_looking(&home).map_err(database)?;
        Ok(Self {
            workers: Workers::of(&home),
            blobs: Blobs::new(home.blobs()),
            pool: Pool::to_look(home.clone(), options.readers),
            notifier: ChangeNotifier::new(look, options.look_every).map_err(database)?,
            writer: None,
            shelves: Shelves::new(options.search_memory),
            worker_locks: Mutex::default(),
            owed: Mutex::default(),
            lost: Arc::default(),
            home,
        })
    }

    /// Waits until all that was posted is written and the files are closed.
    pub async fn close(self) {
        let Self { writer, pool, notifier, .. } = self;
        // The last to close tidies up, which those who only read cannot.
        drop((pool, notifier));
        if let Some(writer) = writer {
            let thread = writer.stop();
            // A thread that panicked has closed its files too.
            let _ = spawn_blocking(move || thread.join()).await;
        }
    }

    /// How many transactions this store has committed: steps that were posted together share one.
    #[must_use]
    pub fn transactions(&self) -> u64 {
        self.writer.as_ref().map_or(0, Writer::committed)
    }

    /// Returns the error of a store that is lost.
    pub(super) fn trusted(&self) -> Result<(), Error> {
        self.lost.get().map_or(Ok(()), |error| Err(error.clone()))
    }

    pub(super) async fn post<W: Write>(&self, write: W) -> Result<W::Answer, Error> {
        self.writer()?.post(write).await
    }

    /// The writer, or an error where nothing may be written.
    pub(super) fn writer(&self) -> Result<&Writer, Error> {
        self.trusted()?;
        let home = self.home.root().display();
        self.writer.as_ref().ok_or_else(|| Error::Unavailable(format!("{home} is read-only")))
    }

    pub(super) fn look_after(&self, worker: &Alive) {
        let mut worker_locks = self.worker_locks.lock().unwrap_or_else(PoisonError::into_inner);
        worker_locks.retain(|lock| lock.strong_count() > 0);
        worker_locks.push(Arc::downgrade(&worker.0));
    }

    /// The living workers that were enlisted through this store.
    pub(super) fn worker_locks(&self) -> Vec<Arc<WorkerLock>> {
        let worker_locks = self.worker_locks.lock().unwrap_or_else(PoisonError::into_inner);
        worker_locks.iter().filter_map(Weak::upgrade).collect()
    }

    pub(super) async fn read<T: Send + 'static>(
        &self,
        look: impl FnOnce(&rusqlite::Connection) -> rusqlite::Result<T> + Send + 'static,
    ) -> Result<T, Error> {
        self.trusted()?;
        self.pool.read(|db| Ok(look(db)?)).await
    }

    pub(super) async fn load_once(&self, run: &RunId) -> Result<Loaded, Error> {
        self.trusted()?;
        let (run, blobs) = (run.clone(), self.blobs.clone());
        self.pool.read(move |db| read::load(db, &blobs, &run)).await
    }

    /// Puts the large values into files, then writes what names them.
    pub(super) async fn post_large<W: Write<Answer = WriteOutcome>>(
        &self,
        large: Large,
        whose: Whose,
        write: impl Fn(Names) -> W,
    ) -> Result<(), Error> {
        for _ in 0..PUTS {
            let names =
                if large.is_empty() { Names::default() } else { self.put(&large, &whose).await? };
            match self.post(write(names)).await? {
                WriteOutcome::Done => return Ok(()),
                WriteOutcome::FileGone => {}
            }
        }
        Err(Error::Unavailable("large values were removed before they were used; try again".into()))
    }

    async fn put(&self, large: &Large, whose: &Whose) -> Result<Names, Error> {
        if let Whose::Owner(owner) = whose {
            self.post(CreateAccount { owner: owner.clone() }).await?;
        }
        let (large, whose, blobs) = (large.clone(), whose.clone(), self.blobs.clone());
        let found = whose.clone();
        let secret = self.read(move |db| match &found {
            Whose::Owner(owner) => read::secret(db, owner),
            Whose::Run(run) => read::secret_of_run(db, run),
        });
        let secret = secret.await?.ok_or_else(|| match whose {
            Whose::Owner(owner) => Error::Damaged(format!("owner {owner} has no account")),
            Whose::Run(run) => Error::NotFound(run),
        })?;
        self.in_background(move || large.put(&blobs, &secret)).await
    }

    /// Runs work that waits for the disk on a thread for blocking calls. If the work loses the
    /// store, the store is lost at once, even if the caller no longer waits for the answer.
    pub(super) async fn in_background<T: Send + 'static>(
        &self,
        work: impl FnOnce() -> Result<T, Error> + Send + 'static,
    ) -> Result<T, Error> {
        let lost = self.lost.clone();
        let done = spawn_blocking(move || {
            work().inspect_err(|error| {
                if matches!(error, Error::Lost(_)) {
                    // The first reason stays.
                    if lost.set(error.clone()).is_ok() {
                        error!(why = %error, "nothing more is written to the store");
                    }
                }
            })
        });
        done.await.map_err(|cause| Error::Unavailable(format!("the work was aborted: {cause}")))?
    }
}

/// The error for a file or folder that is needed for writing and cannot be made.
fn unmade(path: &Path) -> impl FnOnce(io::Error) -> OpenError + use<> {
    let path = path.to_owned();
    let closed = [io::ErrorKind::ReadOnlyFilesystem, io::ErrorKind::PermissionDenied];
    move |source| match source {
        source if closed.contains(&source.kind()) => OpenError::ReadOnly { path },
        source => OpenError::Disk { path, source },
    }
}
