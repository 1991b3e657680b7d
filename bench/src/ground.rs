//! What the engine's benches stand on: a home on a disk, an engine over it, and runs to make.

use std::{
    error::Error,
    path::{Path, PathBuf},
    sync::Arc,
    time::{Duration, Instant, SystemTime},
};

use consign_engine::{
    Actor, Agents, At, Clock, Data, Engine, Entropy, Limits, Owner, Parts, Placement, Reins,
    Settings, Stop, Submission, Workflows,
};
use consign_store::{Options, SqliteStore};
use tokio::{
    runtime::Runtime,
    sync::{Notify, watch},
};

#[derive(clap::Args)]
pub(crate) struct Place {
    /// Where to write; by default the folder of this program, which is on the disk that builds are
    #[arg(long)]
    dir: Option<PathBuf>,
}

impl Place {
    /// A folder of its own on the disk to measure.
    pub(crate) fn folder(&self) -> Result<tempfile::TempDir, Box<dyn Error>> {
        let beside = || Ok::<_, std::io::Error>(std::env::current_exe()?.with_file_name(""));
        let dir = self.dir.clone().map_or_else(beside, Ok)?;
        Ok(tempfile::Builder::new().prefix("consign-bench-").tempdir_in(dir)?)
    }
}

/// The program to measure: one that was named, else the `consign` beside this one.
pub(crate) fn beside(named: Option<&PathBuf>) -> Result<PathBuf, std::io::Error> {
    match named {
        Some(named) => Ok(named.clone()),
        None => Ok(std::env::current_exe()?.with_file_name("consign")),
    }
}

/// As `consign` has it: one thread for the engine, and the store's own.
pub(crate) fn runtime() -> Result<Runtime, std::io::Error> {
    tokio::runtime::Builder::new_current_thread().enable_all().build()
}

pub(crate) fn open(home: &Path) -> Result<Arc<SqliteStore>, Box<dyn Error>> {
    Ok(Arc::new(SqliteStore::open(home, &Options::default())?))
}

pub(crate) async fn engine(
    store: Arc<SqliteStore>,
    workflows: Workflows,
    agents: Agents,
) -> Result<Arc<Engine>, Box<dyn Error>> {
    let clock = Box::new(Wall { since: Instant::now() });
    let (entropy, patience) = (Box::new(Random), Duration::from_secs(5));
    Ok(Engine::new(Parts { store, workflows, agents, clock, entropy, patience }).await?)
}

pub(crate) fn submission(workflow: &str, input: String, placement: Placement) -> Submission {
    Submission {
        id: None,
        workflow: workflow.to_owned(),
        input: Data::parse(input).unwrap_or_else(|_| Data::null()),
        owner: Owner::from("bench"),
        limits: Limits::default(),
        placement,
        priority: 0,
        settings: Settings::default(),
        certified: false,
        actor: Actor::from("bench"),
    }
}

/// Reins that nobody pulls; the sender must be kept.
pub(crate) fn reins() -> (watch::Sender<Stop>, Reins) {
    let (sender, stop) = watch::channel(Stop::GoOn);
    (sender, Reins { poke: Arc::new(Notify::new()), stop })
}

struct Wall {
    since: Instant,
}

impl Clock for Wall {
    fn wall(&self) -> At {
        let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
        At(i64::try_from(since.as_micros()).unwrap_or(i64::MAX))
    }

    fn ticks(&self) -> Duration {
        self.since.elapsed()
    }
}

struct Random;

impl Entropy for Random {
    fn fill(&self, bytes: &mut [u8]) {
        getrandom::fill(bytes).expect("this machine has randomness");
    }
}
