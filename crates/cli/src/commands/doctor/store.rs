//! Checks the database: whether it can be read, how its runs stand, and which workers hold them.

use std::{collections::BTreeMap, path::Path, sync::Arc};

use consign_accounts::AccountStore;
use consign_app::machine;
use consign_engine::{
    Status, WorkerId,
    store::{self, RunQuery, Store},
};
use consign_files::{Holder, Locks};
use consign_models::keys::{Keys, Listed};
use consign_store::{OpenError, Options, SqliteStore};

use super::{
    stalled::Stalled,
    workers::{self, Worker},
};
use crate::{engine::runtime, fault::DAMAGED};

/// What there is.
pub(super) enum Database {
    /// There is none yet.
    None,
    Read(Standing),
    /// It, or something in it, cannot be read.
    Bad(Problem),
}

pub(super) struct Standing {
    /// In the order of a run's life; those without runs are left out.
    pub(super) runs: Vec<(Status, u64)>,
    /// Not all were counted.
    pub(super) more: bool,
    /// Every worker that is alive or holds runs.
    pub(super) workers: Vec<Worker>,
    pub(super) stalled: Stalled,
    /// How many have accounts.
    pub(super) users: u64,
    /// The keys of owners.
    pub(super) keys: Vec<Listed>,
    /// The process that holds the write lock now. A healthy one holds it for moments only.
    pub(super) writer: Holder,
}

pub(super) struct Problem {
    /// `damaged`, `newer`, `foreign`, or `unavailable`.
    pub(super) state: &'static str,
    pub(super) why: String,
    pub(super) hint: Option<&'static str>,
}

const STATUSES: [Status; 6] = [
    Status::Queued,
    Status::Running,
    Status::Waiting,
    Status::Succeeded,
    Status::Failed,
    Status::Cancelled,
];
/// What a home has that was used.
const TRACES: [&str; 4] = ["consign.db", "write.lock", "blobs", "workers"];
/// Runs that are read at a time, and that are counted at most of each status.
const PAGE: usize = 1000;
const MOST: u64 = 20_000;

/// Looks at the database of a directory, if there is one. Runs of dead workers are not taken back: that
/// would hide which worker held them.
pub(super) fn look(home: &Path) -> Database {
    // Opening makes what is missing, so only where there is something; the store knows what is lost.
    if !TRACES.iter().any(|name| home.join(name).exists()) {
        return Database::None;
    }
    let runtime = match runtime() {
        Ok(runtime) => runtime,
        Err(error) => return Database::Bad(Problem::new("unavailable", error.message)),
    };
    runtime.block_on(async {
        let store = match SqliteStore::open(home, &Options::default()) {
            Ok(store) => Arc::new(store),
            Err(error) => return Database::Bad(error.into()),
        };
        let read = count(&store, home).await;
        if let Some(store) = Arc::into_inner(store) {
            store.close().await;
        }
        match read {
            Ok(standing) => Database::Read(standing),
            Err(error) => Database::Bad(error.into()),
        }
    })
}

async fn count(store: &Arc<SqliteStore>, home: &Path) -> Result<Standing, store::Error> {
    let (mut runs, mut more) = (Vec::new(), false);
    let mut held: BTreeMap<WorkerId, u64> = BTreeMap::new();
    let (mut stalled, now) = (Stalled::default(), machine::now());
    for status in STATUSES {
        let (mut found, mut before) = (0, None);
        loop {
            let query = RunQuery { status: Some(status), before, most: PAGE, ..Default::default() };
            let page = store.runs(&query).await?;
            found += page.len() as u64;
            page.iter().for_each(|row| stalled.take(row, now));
            for worker in page.iter().filter_map(|row| row.worker.clone()) {
                *held.entry(worker).or_default() += 1;
            }
            match page.last() {
                Some(last) if page.len() == PAGE && found < MOST => before = Some(last.id.clone()),
                last => {
                    more |= last.is_some() && page.len() == PAGE;
                    break;
                }
            }
        }
        if found > 0 {
            runs.push((status, found));
        }
    }
    let writer = Locks::look().holder(&home.join("write.lock"));
    let workers = workers::look(home, &held);
    stalled.judge(&workers);
    let environment = Arc::new(|name: &str| std::env::var_os(name));
    // Keys that cannot be listed are told by `consign keys list`.
    let keys = Keys::new(store.clone(), home, environment).list().await.unwrap_or_default();
    let users = AccountStore::users(&**store).await?.len() as u64;
    Ok(Standing { runs, more, workers, stalled, users, keys, writer })
}

impl Problem {
    fn new(state: &'static str, why: String) -> Self {
        let hint = (state == "damaged").then_some(DAMAGED);
        Self { state, why, hint }
    }
}

impl From<OpenError> for Problem {
    fn from(error: OpenError) -> Self {
        if matches!(error, OpenError::Foreign { .. }) {
            return Self::new("foreign", error.to_string());
        }
        if matches!(error, OpenError::Newer { .. }) {
            return Self::new("newer", error.to_string());
        }
        store::Error::from(error).into()
    }
}

impl From<store::Error> for Problem {
    fn from(error: store::Error) -> Self {
        let damaged = matches!(error, store::Error::Damaged(_));
        Self::new(if damaged { "damaged" } else { "unavailable" }, error.to_string())
    }
}
