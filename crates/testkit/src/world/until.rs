//! Waits for something to happen, and panics when it does not.

use std::{thread, time::Duration};

use consign_engine::{
    RunId, Status,
    store::{Row, Tick},
};
use tokio::{
    sync::oneshot,
    time::{Instant, sleep},
};

use super::World;

/// How long something that should come may take, by the clock of the test and by that on the wall:
/// a paused clock runs ahead while a real disk is busy.
const LONGEST: Duration = Duration::from_secs(3600);
const LONGEST_REAL: Duration = Duration::from_secs(20);
/// Every worker looks around ten times a second.
const LOOKS_A_SECOND: u64 = 100;
/// How often to look if nothing seems to change.
const LOOK: Duration = Duration::from_millis(50);

impl World {
    /// Waits until a run is over. Says how it ended.
    pub async fn until_closed(&self, run: &RunId) -> Row {
        self.until(run, "closes", |row| row.status.is_closed()).await
    }

    /// Waits until a run stands still for somebody or something.
    pub async fn until_waiting(&self, run: &RunId) -> Row {
        self.until(run, "waits", |row| row.status == Status::Waiting).await
    }

    /// Waits until an event is in the journal, as [`World::history`] writes it.
    pub async fn until_event(&self, run: &RunId, event: &str) {
        let mut wait = Wait::begin();
        loop {
            let journal = self.journal(run).await;
            if journal.iter().any(|record| super::told(record) == event) {
                return;
            }
            self.go_on_waiting(&mut wait, run, event).await;
        }
    }

    /// Waits until a run is as it should be.
    pub async fn until(&self, run: &RunId, what: &str, is: impl Fn(&Row) -> bool) -> Row {
        let mut wait = Wait::begin();
        loop {
            let row = self.row(run).await;
            if is(&row) {
                return row;
            }
            self.go_on_waiting(&mut wait, run, what).await;
        }
    }

    /// Lets everything happen that can happen without time passing.
    pub async fn settle(&self) {
        for _ in 0..2000 {
            tokio::task::yield_now().await;
        }
    }

    /// Lets time pass, and fails if somebody was busy all the while: who waits looks at the clock now
    /// and then, who spins does nothing else.
    pub async fn pass(&self, span: Duration) {
        let (over, wall) = oneshot::channel();
        thread::spawn(move || {
            thread::sleep(LONGEST_REAL);
            // Nobody listens if all went well.
            let _ = over.send(());
        });
        let before = self.clock().looks();
        tokio::select! {
            biased;
            () = sleep(span) => {}
            _ = wall => panic!("somebody is so busy that no time passes"),
        }
        let looks = self.clock().looks() - before;
        let most = LOOKS_A_SECOND * (span.as_secs() + 1);
        assert!(looks <= most, "somebody looked at the clock {looks} times in {span:?}");
    }

    async fn go_on_waiting(&self, wait: &mut Wait, run: &RunId, what: &str) {
        if wait.is_over() {
            let (row, history) = (self.row(run).await, self.history(run).await);
            panic!("waited in vain until run {run} {what}: it is {}\n{history}", row.status);
        }
        wait.for_a_change(self).await;
    }
}

/// A wait for something that should come.
pub(crate) struct Wait {
    started: Instant,
    began: std::time::Instant,
    tick: Tick,
}

impl Wait {
    pub(crate) fn begin() -> Self {
        let (started, began) = (Instant::now(), std::time::Instant::now());
        Self { started, began, tick: Tick::default() }
    }

    /// Whether it took too long.
    pub(crate) fn is_over(&self) -> bool {
        self.started.elapsed() > LONGEST && self.began.elapsed() > LONGEST_REAL
    }

    pub(crate) async fn for_a_change(&mut self, world: &World) {
        tokio::select! {
            biased;
            now = world.observer().changed(self.tick) => self.tick = now,
            () = sleep(LOOK) => {}
        }
    }
}
