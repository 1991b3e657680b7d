//! A worker: claims runs, drives them concurrently, takes over from dead workers, and stops gracefully.
//!
//! Its places are for all owners: whenever one is free, the store gives it to the owner who has the fewest runs
//! under way ([`Store::claim`](store::Store::claim)). An owner alone has them all, and one who comes later gets the
//! places that become free.

use std::{collections::BTreeMap, sync::Arc, time::Duration};

use tokio::{
    sync::{Notify, watch},
    task::{self, JoinSet},
    time::{Instant, sleep},
};
use tracing::{error, info, warn};

use crate::{
    At, Drive, Error, Left, Reins, RunId, Seat, Stop,
    drive::hold_out,
    external_home::Wish,
    run::Run,
    store::{self, Commit, Loaded, Standing, Step, Tick, Wanted},
};

/// How often the locks of other workers are tried.
const LOOK_AROUND: Duration = Duration::from_millis(100);
/// How often the store is tidied, beginning when a worker starts.
const TIDY: Duration = Duration::from_secs(3600);
/// When a run that could not be written is tried again.
const STRANDED: Duration = Duration::from_secs(30);
/// How often a store is tried that cannot be used just now.
const TRY_AGAIN: Duration = Duration::from_millis(500);
/// Runs that are claimed in one transaction.
const MOST_CLAIMED: usize = 256;

pub struct Worker {
    seat: Seat,
    wanted: Wanted,
    at_once: usize,
    /// What drives each run now. A drive that lost its run to this same worker may still be around.
    held: BTreeMap<RunId, (task::Id, Arc<Notify>)>,
    drives: JoinSet<Result<Left, Error>>,
    runs: BTreeMap<task::Id, RunId>,
    /// Runs of ours without a drive that could not be let go yet.
    stranded: Vec<Stranded>,
    patient: bool,
}

/// A run of ours without a drive.
struct Stranded {
    run: RunId,
    /// Why it cannot be driven. Without a reason its drive gave up on the store, and it is tried again.
    damaged: Option<String>,
}

/// Something that a worker's keeper may want to know.
#[derive(Clone, Debug)]
pub enum Report {
    Reclaimed(u64),
    Claimed(RunId),
    Left(RunId, Left),
    /// The run cannot be folded. It was put aside.
    Damaged(RunId, String),
    /// The store cannot be used just now, and why: nothing is claimed until it can.
    Unavailable(String),
    /// It can again.
    Available,
}

impl Worker {
    /// A worker that drives up to `at_once` runs side by side.
    #[must_use]
    pub fn new(seat: Seat, host: Option<Arc<str>>, at_once: usize) -> Self {
        let known = seat.engine.workflows.versions();
        let known = known.filter(|(name, _)| seat.engine.home_of(name).is_none());
        let workflows = known.map(|(name, newest)| (name.to_owned(), newest)).collect();
        Self {
            seat,
            wanted: Wanted { workflows, host },
            at_once: at_once.max(1),
            held: BTreeMap::new(),
            drives: JoinSet::new(),
            runs: BTreeMap::new(),
            stranded: Vec::new(),
            patient: false,
        }
    }

    /// Waits for a store that cannot be used just now for as long as it takes, where others give up.
    #[must_use]
    pub fn patient(mut self) -> Self {
        self.patient = true;
        self
    }

    /// Works until it is told to stop and everything is put back, or until the store gives up.
    pub async fn work(
        mut self,
        mut stop: watch::Receiver<Stop>,
        mut tell: impl FnMut(Report) + Send,
    ) -> Result<(), Error> {
        let store = self.seat.engine.store.clone();
        let mut looked: Option<Instant> = None;
        let mut tick = Tick::default();
        let mut patience = self.seat.engine.patience;
        let mut available = true;
        let _tidying = self.tidy();
        info!(worker = %self.seat.worker, at_once = self.at_once, "worker started");
        while *stop.borrow_and_update() == Stop::GoOn {
            let wait = match self.look_around(&mut looked, &stop, &mut tell).await {
                Ok(wait) => {
                    patience = self.seat.engine.patience;
                    if !available {
                        warn!("the store can be used again");
                        tell(Report::Available);
                        available = true;
                    }
                    wait
                }
                // What is under way need not end because nothing can be claimed just now.
                Err(error) => {
                    if available && let Error::Store(store::Error::Unavailable(why)) = &error {
                        warn!(why, "the store cannot be used, and is tried until it can");
                        tell(Report::Unavailable(why.clone()));
                        available = false;
                    }
                    if self.patient {
                        patience = TRY_AGAIN;
                    }
                    hold_out(error, &mut patience).await?;
                    Duration::ZERO
                }
            };
            tokio::select! {
                biased;
                Ok(()) = stop.changed() => {}
                Some(joined) = self.drives.join_next_with_id() => {
                    self.land(joined, &mut tell)?;
                    while let Some(joined) = self.drives.try_join_next_with_id() {
                        self.land(joined, &mut tell)?;
                    }
                }
                now = store.changed(tick) => tick = now,
                () = sleep(wait) => {}
            }
        }
        while let Some(joined) = self.drives.join_next_with_id().await {
            self.land(joined, &mut tell)?;
        }
        // The next worker finds the others held by a dead one, and takes them over.
        self.stranded.retain(|stranded| stranded.damaged.is_some());
        self.let_strays_go(&mut tell).await?;
        info!(worker = %self.seat.worker, "worker stopped");
        Ok(())
    }

    /// Takes what can be taken, and says how long to wait before looking again.
    async fn look_around(
        &mut self,
        looked: &mut Option<Instant>,
        stop: &watch::Receiver<Stop>,
        tell: &mut (impl FnMut(Report) + Send),
    ) -> Result<Duration, Error> {
        let store = self.seat.engine.store.clone();
        if looked.is_none_or(|at| at.elapsed() >= LOOK_AROUND) {
            *looked = Some(Instant::now());
            let reclaimed = store.reclaim().await?;
            if reclaimed > 0 {
                tell(Report::Reclaimed(reclaimed));
            }
        }
        self.let_strays_go(tell).await?;
        self.claim(stop, tell).await?;
        self.let_strays_go(tell).await?;
        for run in store.poked(&self.seat.worker).await? {
            if let Some((_, poke)) = self.held.get(&run) {
                poke.notify_one();
            }
        }
        let wake = store.next_wake(&self.wanted).await?;
        let wait = wake.map(|at| at.since(self.seat.engine.now())).unwrap_or(LOOK_AROUND);
        let full = self.held.len() >= self.at_once;
        Ok(if full { LOOK_AROUND } else { wait.min(LOOK_AROUND) })
    }

    /// Tidies in the background until the guard is dropped.
    fn tidy(&self) -> JoinSet<()> {
        let store = self.seat.engine.store.clone();
        let mut tidying = JoinSet::new();
        tidying.spawn(async move {
            loop {
                // What could not be removed now will be next time.
                let _ = store.tidy().await;
                sleep(TIDY).await;
            }
        });
        tidying
    }

    async fn claim(
        &mut self,
        stop: &watch::Receiver<Stop>,
        tell: &mut (impl FnMut(Report) + Send),
    ) -> Result<(), Error> {
        let engine = self.seat.engine.clone();
        loop {
            let most = self.at_once.saturating_sub(self.held.len()).min(MOST_CLAIMED);
            if most == 0 {
                return Ok(());
            }
            let now = engine.now();
            let claimed = engine.store.claim(&self.seat.worker, &self.wanted, most, now).await?;
            let last = claimed.runs.len() + claimed.damaged.len() < most;
            for (run, why) in claimed.damaged {
                tell_damage(&run, &why);
                tell(Report::Damaged(run, why));
            }
            for loaded in claimed.runs {
                self.take(&loaded, stop, tell)?;
            }
            if last {
                return Ok(());
            }
        }
    }

    fn take(
        &mut self,
        loaded: &Loaded,
        stop: &watch::Receiver<Stop>,
        tell: &mut (impl FnMut(Report) + Send),
    ) -> Result<(), Error> {
        let run = loaded.row.id.clone();
        let drive = match Drive::resume(self.seat.clone(), loaded) {
            Ok(drive) => drive,
            Err(Error::Store(store::Error::Damaged(why))) => {
                self.stranded.push(Stranded { run, damaged: Some(why) });
                return Ok(());
            }
            // Another worker was faster, or has declared this one dead.
            Err(Error::Store(store::Error::Refused(_))) => return Ok(()),
            Err(error) => return Err(error),
        };
        tell(Report::Claimed(run.clone()));
        let poke = Arc::new(Notify::new());
        let reins = Reins { poke: poke.clone(), stop: stop.clone() };
        let task = self.drives.spawn(drive.drive(reins));
        self.held.insert(run.clone(), (task.id(), poke));
        self.runs.insert(task.id(), run);
        Ok(())
    }

    fn land(
        &mut self,
        joined: Result<(task::Id, Result<Left, Error>), task::JoinError>,
        tell: &mut (impl FnMut(Report) + Send),
    ) -> Result<(), Error> {
        let (id, left) = match joined {
            Ok((id, left)) => (id, left),
            // A bug of ours. The run must not be left with a holder that does nothing.
            Err(broken) => (broken.id(), Err(store::Error::Damaged(broken.to_string()).into())),
        };
        let Some(run) = self.runs.remove(&id) else { return Ok(()) };
        let current = self.held.get(&run).is_some_and(|(drive, _)| *drive == id);
        if current {
            self.held.remove(&run);
        }
        match left {
            Ok(left) => tell(Report::Left(run, left)),
            // Another drive of ours has the run, and is not to lose it by this one's end.
            Err(Error::Store(store::Error::Damaged(_) | store::Error::Unavailable(_)))
                if !current => {}
            Err(Error::Store(store::Error::Damaged(why))) => {
                self.stranded.push(Stranded { run, damaged: Some(why) });
            }
            // Its own patience is at an end, and what it had in memory is lost. The other runs may
            // still be well.
            Err(Error::Store(store::Error::Unavailable(why))) => {
                warn!(%run, why, "the run could not be written, and is tried again later");
                self.stranded.push(Stranded { run, damaged: None });
            }
            Err(error) => return Err(error),
        }
        Ok(())
    }

    /// Parks runs without a drive, so that none is left with a holder that does nothing. A damaged run gets
    /// no wake time, so that no worker keeps trying it.
    async fn let_strays_go(&mut self, tell: &mut (impl FnMut(Report) + Send)) -> Result<(), Error> {
        while let Some(Stranded { run, damaged }) = self.stranded.last() {
            let later = self.seat.engine.now() + STRANDED;
            self.let_go(run, damaged.is_none().then_some(later)).await?;
            if let Some(Stranded { run, damaged: Some(why) }) = self.stranded.pop() {
                tell_damage(&run, &why);
                tell(Report::Damaged(run, why));
            }
        }
        Ok(())
    }

    /// Parks a run of ours without a drive.
    async fn let_go(&self, run: &RunId, wake_at: Option<At>) -> Result<(), Error> {
        let store = &self.seat.engine.store;
        loop {
            let row = store.row(run).await?;
            if row.worker.as_ref() != Some(&self.seat.worker) {
                return Ok(());
            }
            let claim = store::Claim {
                run: run.clone(),
                worker: self.seat.worker.clone(),
                epoch: row.epoch,
            };
            let step = Step {
                records: Vec::new(),
                standing: Standing::Parked { wake_at },
                figures: row.figures,
                ledger: store::Ledger::default(),
                asks: Vec::new(),
                snapshot: None,
                upgraded: None,
                label: None,
            };
            match store.commit(Commit { claim, seen: row.seq, step }).await {
                Ok(()) => return Ok(()),
                Err(store::Error::Refused(_)) => {}
                Err(error) => return Err(error.into()),
            }
        }
    }
}

fn tell_damage(run: &RunId, why: &str) {
    error!(%run, why, "the run is damaged, and is put aside");
}

impl Seat {
    /// Takes a run by name, whatever its placement.
    pub async fn take(&self, run: &RunId) -> Result<Drive, Error> {
        self.engine.refuse_for_external_home(run, Wish::Continue).await?;
        self.take_mirror(run).await
    }

    /// Takes a run by name, also a mirror of one with an external home, which [`Self::take`] refuses.
    pub(crate) async fn take_mirror(&self, run: &RunId) -> Result<Drive, Error> {
        let engine = &self.engine;
        engine.store.reclaim().await?;
        let row = engine.store.row(run).await?;
        if let Err(unknown) = engine.workflows.knows(&row.workflow, row.version) {
            // It is left to programs that know it, unless it is only to be closed.
            let frame = Run::load(&engine.workflows, &engine.store.load(run).await?)?.frame;
            if frame.cancel.is_none() {
                return Err(unknown.into());
            }
        }
        let loaded = self.engine.store.claim_run(&self.worker, run).await?;
        Drive::resume(self.clone(), &loaded)
    }

    /// Drives one run, with an eye on what is delivered to it.
    pub async fn attend(&self, drive: Drive, stop: watch::Receiver<Stop>) -> Result<Left, Error> {
        let store = &self.engine.store;
        let poke = Arc::new(Notify::new());
        let run = drive.run().clone();
        let drive = drive.drive(Reins { poke: poke.clone(), stop });
        tokio::pin!(drive);
        let mut tick = Tick::default();
        loop {
            tokio::select! {
                biased;
                left = &mut drive => return left,
                now = store.changed(tick) => match store.poked(&self.worker).await {
                    Ok(poked) => {
                        tick = now;
                        if poked.contains(&run) {
                            poke.notify_one();
                        }
                    }
                    // The drive need not end because the store cannot be read just now.
                    Err(store::Error::Unavailable(_)) => sleep(LOOK_AROUND).await,
                    Err(error) => return Err(error.into()),
                }
            }
        }
    }
}
