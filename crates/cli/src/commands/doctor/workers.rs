//! The workers that are alive or hold runs.
//!
//! The store does not say which are alive. A living worker has its file in `workers` locked, and the
//! kernel says by which process.

use std::{collections::BTreeMap, fs, path::Path};

use consign_engine::WorkerId;
use consign_files::{Holder, Locks};

/// A worker, or a command that holds a run.
pub(super) struct Worker {
    pub(super) id: WorkerId,
    pub(super) runs: u64,
    /// [`Holder::Nobody`] if it is dead: the next command or worker takes its runs back. While it is
    /// stopped, no process can take them.
    pub(super) process: Holder,
}

/// The workers that are alive, and those that hold runs.
pub(super) fn look(home: &Path, held: &BTreeMap<WorkerId, u64>) -> Vec<Worker> {
    let folder = home.join("workers");
    let locks = Locks::look();
    let process = |id: &WorkerId| locks.holder(&folder.join(format!("{id}.lock")));
    let mut all: BTreeMap<WorkerId, u64> = held.clone();
    for file in fs::read_dir(&folder).into_iter().flatten().flatten() {
        let name = file.file_name();
        if let Some(id) = name.to_str().and_then(|name| name.strip_suffix(".lock")) {
            all.entry(WorkerId::from(id)).or_default();
        }
    }
    let worker = |(id, runs)| Worker { process: process(&id), id, runs };
    let idle_dead = |worker: &Worker| worker.runs == 0 && worker.process == Holder::Nobody;
    all.into_iter().map(worker).filter(|worker| !idle_dead(worker)).collect()
}
