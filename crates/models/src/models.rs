//! What all model agents of a process share: the transport, keys, prices, rate limits and
//! recordings.
//!
//! Make one [`Models`] for each process: its throttles and recordings count all calls together.

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
    sync::{Arc, Mutex, PoisonError},
};

use consign_engine::{Fault, RunId};

use crate::{
    Provider,
    config::Config,
    keys::Keys,
    prices::Prices,
    record::{Replay, Replays, Tape},
    throttle::Throttle,
    transport::Transport,
};

/// The throttles, by provider and base URL.
type Throttles = BTreeMap<(Provider, Option<String>), Arc<Throttle>>;

/// The state that all model calls of a process share. Make one for each process.
pub struct Models {
    transport: Arc<dyn Transport>,
    keys: Keys,
    config: Config,
    throttles: Mutex<Throttles>,
    tapes: Mutex<BTreeMap<PathBuf, Arc<Tape>>>,
    replays: Replays,
}

impl Models {
    #[must_use]
    pub fn new(transport: Arc<dyn Transport>, keys: Keys, config: Config) -> Self {
        Self {
            transport,
            keys,
            config,
            throttles: Mutex::default(),
            tapes: Mutex::default(),
            replays: Replays::default(),
        }
    }

    #[must_use]
    pub fn config(&self) -> &Config {
        &self.config
    }

    /// The transport to the providers.
    #[must_use]
    pub fn transport(&self) -> &Arc<dyn Transport> {
        &self.transport
    }

    #[must_use]
    pub fn keys(&self) -> &Keys {
        &self.keys
    }

    #[must_use]
    pub fn prices(&self) -> &Prices {
        &self.config.prices
    }

    /// The throttle of a provider at a base URL.
    pub fn throttle(&self, provider: Provider, at: Option<&str>) -> Arc<Throttle> {
        let mut throttles = self.throttles.lock().unwrap_or_else(PoisonError::into_inner);
        let make = || Arc::new(Throttle::new(provider, self.config.pace(provider)));
        throttles.entry((provider, at.map(str::to_owned))).or_insert_with(make).clone()
    }

    /// The recording that is being written to this file.
    pub fn tape(&self, path: &Path) -> Result<Arc<Tape>, Fault> {
        once(&self.tapes, path.to_owned(), || {
            Tape::open(path).map_err(|cause| {
                let text = format!("could not record to {}: {cause}", path.display());
                Fault::permanent("RECORDING_UNWRITABLE", text)
            })
        })
    }

    /// The recording in this file. Each run reads it from its beginning.
    pub fn replay(&self, path: &Path, run: &RunId) -> Result<Arc<Replay>, Fault> {
        self.replays.of(path, run).map_err(|why| Fault::permanent("RECORDING_INVALID", why))
    }
}

/// How many recordings stay open. A worker runs for long, and sees many.
const MOST_OPEN: usize = 256;

/// Returns what was opened before, or opens it.
fn once<K: Ord + Clone, T>(
    known: &Mutex<BTreeMap<K, Arc<T>>>,
    key: K,
    open: impl FnOnce() -> Result<Arc<T>, Fault>,
) -> Result<Arc<T>, Fault> {
    let mut known = known.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(open) = known.get(&key) {
        return Ok(open.clone());
    }
    let opened = open()?;
    if known.len() >= MOST_OPEN {
        known.pop_first();
    }
    known.insert(key, opened.clone());
    Ok(opened)
}
