//! Decides which worker gets which run.

use std::collections::BTreeMap;

use consign_engine::{
    At, Epoch, Owner, RunId, Status, StatusChange, WorkerId,
    store::{Claimed, Error, Loaded, Placement, Refusal, Row, Wanted},
};

use super::state::{KeptRun, MemoryState};

/// Runs of one owner, by priority, then age.
type Lot = BTreeMap<(i64, u64), RunId>;

impl MemoryState {
    pub(super) fn claim(
        &mut self,
        worker: &WorkerId,
        wanted: &Wanted,
        most: usize,
        now: At,
    ) -> Result<Claimed, Error> {
        let mut line = self.line(wanted, now);
        let mut runs = Vec::new();
        while runs.len() < most
            && let Some(((held, has_passed, owner), mut ready)) = line.pop_first()
        {
            if let Some((_, id)) = ready.pop_first() {
                let run = self.runs.get_mut(&id).ok_or(Error::NotFound(id))?;
                runs.push(run.give_to(worker, None)?);
                self.served = Some(owner.clone());
                line.insert((held + 1, has_passed, owner), ready);
            }
        }
        Ok(Claimed { runs, damaged: Vec::new() })
    }

    /// The owners of runs that can go on, with these runs, the next in turn first: who has the fewest runs in
    /// the hands of workers, and of several the next by name after the one who was served last, in a circle.
    fn line(&self, wanted: &Wanted, now: At) -> BTreeMap<(usize, bool, Owner), Lot> {
        let ready = |run: &&KeptRun| {
            is_wanted(&run.row, wanted) && is_ready(&run.row, now) && self.is_unattended(run)
        };
        let mut lots = BTreeMap::<Owner, Lot>::new();
        for run in self.runs.values().filter(ready) {
            let rank = (-i64::from(run.row.priority), run.ordinal);
            lots.entry(run.row.owner.clone()).or_default().insert(rank, run.row.id.clone());
        }
        let place = |(owner, lot): (Owner, Lot)| {
            let is_held = |run: &&KeptRun| run.row.owner == owner && run.row.worker.is_some();
            let held = self.runs.values().filter(is_held).count();
            let has_passed = self.served.as_ref().is_some_and(|served| owner <= *served);
            ((held, has_passed, owner), lot)
        };
        lots.into_iter().map(place).collect()
    }

    pub(super) fn claim_run(&mut self, worker: &WorkerId, id: &RunId) -> Result<Loaded, Error> {
        let row = &self.run(id)?.row;
        if row.status.is_closed() {
            return Err(Refusal::Closed.into());
        }
        if let Some(holder) = row.worker.as_ref().filter(|holder| self.is_alive(holder)) {
            return Err(Refusal::Held { by: holder.clone() }.into());
        }
        let run = self.runs.get_mut(id).ok_or_else(|| Error::NotFound(id.clone()))?;
        run.give_to(worker, Some(worker))
    }

    pub(super) fn reclaim(&mut self) -> u64 {
        let orphaned =
            |run: &KeptRun| run.row.worker.as_ref().is_some_and(|holder| !self.is_alive(holder));
        let orphans = self.runs.values().filter(|run| orphaned(run)).map(|run| run.row.id.clone());
        let orphans = orphans.collect::<Vec<_>>();
        for id in &orphans {
            let run = self.runs.get_mut(id).expect("it was just there");
            run.release();
            run.begin_epoch();
        }
        orphans.len() as u64
    }

    pub(super) fn poked(&self, worker: &WorkerId) -> Vec<RunId> {
        let told = self.runs.values().filter(|run| run.poked);
        let told = told.filter(|run| run.row.worker.as_ref() == Some(worker));
        told.map(|run| run.row.id.clone()).collect()
    }

    pub(super) fn next_wake(&self, wanted: &Wanted) -> Option<At> {
        let rows = self.runs.values().map(|run| &run.row);
        rows.filter(|row| is_wanted(row, wanted)).filter_map(|row| row.wake_at).min()
    }
}

impl MemoryState {
    /// Whether no living command has the run in its care.
    fn is_unattended(&self, run: &KeptRun) -> bool {
        run.row.placement != Placement::Foreground
            || run.keeper.as_ref().is_none_or(|keeper| !self.is_alive(keeper))
    }
}

impl KeptRun {
    fn give_to(&mut self, worker: &WorkerId, keeper: Option<&WorkerId>) -> Result<Loaded, Error> {
        self.keeper = keeper.cloned();
        if self.row.status == Status::Running {
            self.turn(StatusChange::Release);
        }
        self.turn(StatusChange::Claim);
        self.row.worker = Some(worker.clone());
        self.begin_epoch();
        self.load()
    }

    fn begin_epoch(&mut self) {
        self.row.epoch = Epoch(self.row.epoch.0 + 1);
    }
}

fn is_wanted(row: &Row, wanted: &Wanted) -> bool {
    let placed = match &row.placement {
        Placement::HereOnly => false,
        Placement::Foreground | Placement::Anywhere => true,
        Placement::Host(host) => wanted.host.as_ref() == Some(host),
    };
    placed && wanted.workflows.get(&row.workflow).is_some_and(|newest| row.version <= *newest)
}

fn is_ready(row: &Row, now: At) -> bool {
    match row.status {
        Status::Queued => !row.interrupted,
        Status::Waiting => row.wake_at.is_some_and(|instant| instant <= now),
        Status::Running | Status::Succeeded | Status::Failed | Status::Cancelled => false,
    }
}
