//! Driving a run in this process until it closes, waits for an answer, or is told to stop.
//!
//! A run that waits for nothing but an instant is waited for: no other process would wake it. A run that another
//! process takes meanwhile is followed, so that its end is seen in any case. What is shown meanwhile is the business of
//! an [`Observer`].

use std::{sync::Arc, time::Duration};

use async_trait::async_trait;
use consign_engine::{
    Drive, Engine, Error as EngineError, Fork, RunId, Seat, Status, Stop, Submission, Submitted,
    store::{self, Interaction, Refusal, Row, Tick},
};
use tokio::{
    sync::watch,
    time::{Instant, interval_at, sleep},
};

use crate::{error::Error, view};

/// Shorter runs show no progress; it would only flicker.
const FIRST_DRAWN: Duration = Duration::from_millis(300);
const DRAWN_EVERY: Duration = Duration::from_millis(100);

/// Where a run was left.
pub enum Ended {
    Closed(Row),
    Waiting(Row, Vec<Interaction>),
    /// This process was told to stop.
    Stopped(Row),
}

/// Watches a run that is driven here. Nothing of it can stop the run.
#[async_trait]
pub trait Observer: Send {
    /// Whether progress can be shown at all.
    fn is_able(&self) -> bool;
    /// Shows how the run gets on, a few times a second.
    async fn draw(&mut self, engine: &Arc<Engine>, run: &RunId);
    /// Takes what was shown away again.
    fn clear(&mut self);
    /// The run sleeps until an instant that is still so far away.
    fn sleeps(&mut self, row: &Row, left: Duration);
    /// This process was told to stop, and what is under way is finished first.
    fn draining(&mut self);
}

/// An [`Observer`] that shows nothing.
pub struct Unobserved;

#[async_trait]
impl Observer for Unobserved {
    fn is_able(&self) -> bool {
        false
    }

    async fn draw(&mut self, _engine: &Arc<Engine>, _run: &RunId) {}

    fn clear(&mut self) {}

    fn sleeps(&mut self, _row: &Row, _left: Duration) {}

    fn draining(&mut self) {}
}

/// A seat among the workers, for the runs that this process was given.
pub struct Foreground {
    engine: Arc<Engine>,
    seat: Seat,
    tick: Tick,
}

impl Foreground {
    pub async fn new(engine: &Arc<Engine>) -> Result<Self, Error> {
        let seat = engine.enlist().await?;
        Ok(Self { engine: engine.clone(), seat, tick: Tick::default() })
    }

    /// Makes a run that this seat holds from the start. One that was there already has no drive.
    pub async fn begin(&mut self, wanted: Submission) -> Result<(Submitted, Option<Drive>), Error> {
        match self.seat.begin(wanted.clone()).await {
            Ok((submitted, drive)) => Ok((submitted, Some(drive))),
            Err(EngineError::Store(store::Error::Exists(_))) => {
                Ok((self.engine.repeated(&wanted).await?, None))
            }
            Err(error) => Err(error.into()),
        }
    }

    /// Forks a run into one that this seat holds from the start.
    pub(crate) async fn fork(&mut self, fork: Fork) -> Result<(Submitted, Drive), Error> {
        Ok(self.seat.fork(fork).await?)
    }

    /// Takes a run that no process holds.
    pub async fn take(&self, run: &RunId) -> Result<Drive, Error> {
        Ok(self.seat.take(run).await?)
    }

    /// Takes a run, or nothing if another process was faster or the run is over.
    pub async fn take_if_free(&self, run: &RunId) -> Result<Option<Drive>, Error> {
        match self.seat.take(run).await {
            Ok(drive) => Ok(Some(drive)),
            Err(EngineError::Store(store::Error::Refused(
                Refusal::Held { .. } | Refusal::Closed,
            ))) => Ok(None),
            Err(error) => Err(error.into()),
        }
    }

    /// Drives a run under a signal that is given already: to write down what follows from what was delivered, say.
    pub(crate) async fn let_go(
        &self,
        drive: Drive,
        stop: &watch::Receiver<Stop>,
    ) -> Result<(), Error> {
        Ok(self.seat.attend(drive, stop.clone()).await.map(drop)?)
    }

    /// Goes on with a run, from a drive if there is one already.
    pub async fn go_on(
        &mut self,
        run: &RunId,
        begun: Option<Drive>,
        stop: &watch::Receiver<Stop>,
        observer: &mut dyn Observer,
    ) -> Result<Ended, Error> {
        let store = self.engine.store().clone();
        let (mut drive, mut driven) = (begun, false);
        loop {
            if let Some(drive) = drive.take() {
                self.attend(drive, stop, observer).await?;
                driven = true;
            }
            let row = store.row(run).await?;
            if row.status.is_closed() {
                return Ok(Ended::Closed(row));
            }
            if *stop.borrow() != Stop::GoOn {
                return Ok(Ended::Stopped(row));
            }
            let due = match row.status {
                Status::Queued => true,
                Status::Waiting => {
                    let asks = view::open_asks(&self.engine, run).await?;
                    // An answer may have come between the two looks.
                    if asks.is_empty() && store.row(run).await?.seq != row.seq {
                        continue;
                    }
                    // The process that put it aside may have been wrong; once is enough to find out.
                    if !asks.is_empty() || row.wake_at.is_none() && driven {
                        return Ok(Ended::Waiting(row, asks));
                    }
                    row.wake_at.is_none_or(|at| at <= self.engine.now())
                }
                Status::Running | Status::Succeeded | Status::Failed | Status::Cancelled => false,
            };
            if due {
                drive = self.take_if_free(run).await?;
            }
            if drive.is_none() {
                self.wait(&row, stop, observer).await?;
            }
        }
    }

    /// Waits for an instant, a signal to stop, or a change of the store.
    async fn wait(
        &mut self,
        row: &Row,
        stop: &watch::Receiver<Stop>,
        observer: &mut dyn Observer,
    ) -> Result<(), Error> {
        let mut stop = stop.clone();
        let left = row.wake_at.map(|at| at.since(self.engine.now()));
        if let Some(left) = left {
            observer.sleeps(row, left);
        }
        let over = sleep(left.unwrap_or(Duration::from_secs(1)));
        tokio::pin!(over);
        let draws = left.is_some() && observer.is_able();
        let mut drawn = interval_at(Instant::now() + FIRST_DRAWN, DRAWN_EVERY);
        loop {
            tokio::select! {
                now = self.engine.store().changed(self.tick) => {
                    self.tick = now;
                    break;
                }
                _ = stop.changed() => break,
                () = &mut over => break,
                _ = drawn.tick(), if draws => observer.draw(&self.engine, &row.id).await,
            }
        }
        observer.clear();
        // The process that holds the run may have died.
        self.engine.store().reclaim().await?;
        Ok(())
    }

    /// Drives the run as far as it goes, and shows how it gets on.
    async fn attend(
        &mut self,
        drive: Drive,
        stop: &watch::Receiver<Stop>,
        observer: &mut dyn Observer,
    ) -> Result<(), Error> {
        let run = drive.run().clone();
        let attended = self.seat.attend(drive, stop.clone());
        tokio::pin!(attended);
        let mut stop = stop.clone();
        let mut tick = interval_at(Instant::now() + FIRST_DRAWN, DRAWN_EVERY);
        loop {
            tokio::select! {
                biased;
                left = &mut attended => {
                    observer.clear();
                    return Ok(left.map(drop)?);
                }
                Ok(()) = stop.changed() => {
                    if *stop.borrow_and_update() == Stop::Drain {
                        observer.clear();
                        observer.draining();
                    }
                }
                _ = tick.tick(), if observer.is_able() => observer.draw(&self.engine, &run).await,
            }
        }
    }
}
