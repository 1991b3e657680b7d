//! The engine of this process: the store in our directory, the workflows and agents that come with
//! Consign, the machine's clock and randomness.
//!
//! This is where adapters are chosen. A command asks for a [`Session`] and gets a runtime with it;
//! commands that need no engine never pay for one.

use std::{
    fs,
    path::{Path, PathBuf},
    sync::Arc,
    time::{Duration, Instant, SystemTime, UNIX_EPOCH},
};

use anstream::ColorChoice;
use consign_engine::{
    Actor, Agents, At, Clock, Engine, Entropy, Parts, RunId, Seq, Workflows,
    journal::{Hash, Record},
    notebook::Notebook,
    store,
};
use consign_invokers::{define::Workshop, script::Scripts};
use consign_models::Models;
use consign_store::{OpenError, Options, SqliteStore};

use crate::{error::Error, handles, home, house, locks, output::warn};

/// How long a store that cannot write just now is waited for.
const PATIENCE: Duration = Duration::from_secs(30);

/// Events that are read at a time, and how large they may be together.
pub(crate) const PAGE: usize = 1000;
pub(crate) const PAGE_BYTES: usize = 4 << 20;

/// An engine to work with, and who works.
pub(crate) struct Session {
    pub(crate) engine: Arc<Engine>,
    pub(crate) models: Arc<Models>,
    pub(crate) scripts: Arc<Scripts>,
    pub(crate) actor: Actor,
    pub(crate) home: PathBuf,
}

impl Session {
    pub(crate) fn store(&self) -> &Arc<dyn store::Store> {
        self.engine.store()
    }

    /// The next events of a run, as many as are read at a time: they may be many, and they may be large.
    pub(crate) async fn page(&self, run: &RunId, from: Seq) -> Result<Vec<Record>, store::Error> {
        self.store().events_within(run, from, PAGE, PAGE_BYTES).await
    }

    /// Opens the store in a directory, for the workflows and agents that come with Consign and those
    /// that are defined there.
    pub(crate) async fn open(home: PathBuf) -> Result<Self, Error> {
        Self::with(home, house::furnish).await
    }

    pub(crate) async fn with(
        home: PathBuf,
        furnish: impl FnOnce(&Path, &Workshop, &Arc<dyn Notebook>) -> (Workflows, Agents),
    ) -> Result<Self, Error> {
        let (opened, read_only) = open(&home)?;
        let opened = Arc::new(opened);
        let models = Arc::new(house::models(&home, &opened)?);
        let scripts = house::scripts(&opened);
        let workshop = house::workshop(&models, &scripts);
        let notebook: Arc<dyn Notebook> = opened.clone();
        let (workflows, agents) = furnish(&home, &workshop, &notebook);
        let engine = Engine::new(Parts {
            store: opened.clone(),
            workflows,
            agents,
            clock: Box::new(Machine(Instant::now())),
            entropy: Box::new(Machine(Instant::now())),
            patience: PATIENCE,
        })
        .await?;
        // No run may be shown as running that nobody runs.
        if !read_only {
            engine.store().reclaim().await?;
        }
        Ok(Self { engine, models, scripts, actor: user(), home })
    }
}

/// Opens the store, to look only where nothing can be written. Says which.
fn open(home: &Path) -> Result<(SqliteStore, bool), store::Error> {
    let options = Options::default();
    match SqliteStore::open(home, &options) {
        Ok(store) => Ok((store, false)),
        Err(why @ OpenError::ReadOnly { .. }) => {
            let Ok(store) = SqliteStore::open_to_look(home, &options) else {
                return Err(why.into());
            };
            let told = format!("{} is read-only: it can be looked at, no more", home.display());
            warn(ColorChoice::Never, told);
            Ok((store, true))
        }
        Err(why) => Err(why.into()),
    }
}

/// Does some work with the engine of our directory.
pub(crate) fn session<T>(work: impl AsyncFnOnce(&Session) -> Result<T, Error>) -> Result<T, Error> {
    let home = home::path().map_err(|why| {
        Error::new("STORE_UNAVAILABLE", why).hint("`consign doctor` looks at the directory")
    })?;
    locks::tell_waits(&home);
    complete(async { work(&Session::open(home).await?).await })
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

/// What time it is, for what no run is asked about.
pub(crate) fn now() -> At {
    Machine(Instant::now()).wall()
}

/// Bytes that nobody can foresee.
pub(crate) fn random<const N: usize>() -> [u8; N] {
    let mut bytes = [0; N];
    Machine(Instant::now()).fill(&mut bytes);
    bytes
}

/// What the machine has to say of time and chance.
struct Machine(Instant);

impl Clock for Machine {
    fn wall(&self) -> At {
        let micros = match SystemTime::now().duration_since(UNIX_EPOCH) {
            Ok(since) => i64::try_from(since.as_micros()).unwrap_or(i64::MAX),
            Err(before) => -i64::try_from(before.duration().as_micros()).unwrap_or(i64::MAX),
        };
        At(micros)
    }

    fn ticks(&self) -> Duration {
        self.0.elapsed()
    }
}

impl Entropy for Machine {
    fn fill(&self, bytes: &mut [u8]) {
        getrandom::fill(bytes).expect("the kernel always has randomness once it is up");
    }
}

/// Who types, by the name that the machine has for them: it goes into the journal.
fn user() -> Actor {
    let uid = rustix::process::getuid().as_raw();
    let known = fs::read_to_string("/etc/passwd").unwrap_or_default();
    let name = known.lines().find_map(|line| {
        let mut fields = line.split(':');
        let name = fields.next()?;
        (fields.nth(1)?.parse() == Ok(uid)).then_some(name)
    });
    Actor::new(name.map_or_else(|| format!("uid:{uid}"), |name| format!("user:{name}")))
}

/// What this machine is called in placements. The machine's own id is its secret, so its hash.
pub(crate) fn host() -> Arc<str> {
    let id = fs::read_to_string("/etc/machine-id").ok().filter(|id| !id.trim().is_empty());
    let id =
        id.unwrap_or_else(|| rustix::system::uname().nodename().to_string_lossy().into_owned());
    Hash::of(format!("consign host\n{}", id.trim()).as_bytes()).to_string()[..16].into()
}
