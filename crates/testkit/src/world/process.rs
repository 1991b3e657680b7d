//! A process of a world: an engine on its own peer of the store, and a worker if it has one.

use std::sync::{Arc, Mutex, PoisonError};

use consign_engine::{
    Drive, Engine, Error, Fork, Left, Report, RunId, Seat, Stop, Submitted, Worker, WorkerId,
};
use tokio::{
    sync::watch,
    task::{AbortHandle, JoinHandle, yield_now},
};

use super::audit::Audit;
use crate::programs::Order;

/// How many turns of the runtime a dead process may take to fall apart.
const TURNS: usize = 10_000;

/// An engine that works, until it is stopped or killed.
pub struct Process {
    engine: Arc<Engine>,
    audit: Arc<Audit>,
    worker: WorkerId,
    stop: watch::Sender<Stop>,
    reports: Arc<Mutex<Vec<Report>>>,
    task: Option<JoinHandle<Result<(), Error>>>,
    aborts: Vec<AbortHandle>,
}

impl Process {
    /// Takes a place and starts to work on up to `at_once` runs.
    pub async fn start(engine: Arc<Engine>, audit: Arc<Audit>, at_once: usize) -> Self {
        let seat = engine.enlist().await.expect("there is always a place");
        let (stop, stopped) = watch::channel(Stop::GoOn);
        let reports = Arc::new(Mutex::new(Vec::new()));
        let worker = seat.worker().clone();
        let told = reports.clone();
        let tell = move |report| told.lock().unwrap_or_else(PoisonError::into_inner).push(report);
        let work = Worker::new(seat, None, at_once).work(stopped, tell);
        let task = tokio::spawn(work);
        let aborts = vec![task.abort_handle()];
        Self { engine, audit, worker, stop, reports, task: Some(task), aborts }
    }

    #[must_use]
    pub fn engine(&self) -> &Arc<Engine> {
        &self.engine
    }

    #[must_use]
    pub fn worker(&self) -> &WorkerId {
        &self.worker
    }

    /// What it told its keeper.
    #[must_use]
    pub fn reports(&self) -> Vec<Report> {
        self.reports.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// The run that it said it left, and how.
    #[must_use]
    pub fn left(&self, run: &RunId) -> Option<Left> {
        self.reports().into_iter().rev().find_map(|report| match report {
            Report::Left(left, how) if left == *run => Some(how),
            Report::Left(..)
            | Report::Reclaimed(_)
            | Report::Claimed(_)
            | Report::Damaged(..)
            | Report::Unavailable(_)
            | Report::Available => None,
        })
    }

    /// Tells it to stop, and goes on.
    pub fn tell(&self, stop: Stop) {
        self.stop.send_replace(stop);
    }

    /// Whether it has come to its end.
    #[must_use]
    pub fn is_over(&self) -> bool {
        self.task.as_ref().is_none_or(JoinHandle::is_finished)
    }

    /// Tells it to stop, and waits until it has.
    pub async fn stop(mut self, stop: Stop) {
        self.tell(stop);
        self.ends().await;
    }

    /// Waits until it has stopped by itself.
    pub async fn ends(&mut self) {
        if let Some(task) = self.task.take() {
            task.await.expect("a worker does not panic").expect("a worker stops without error");
        }
    }

    /// Waits until it has stopped by itself because something went wrong.
    pub async fn fails(mut self) -> Error {
        let task = self.task.take().expect("it works until somebody waits for its end");
        task.await.expect("a worker does not panic").expect_err("something goes wrong")
    }

    /// Kills it: all that it was doing is gone, and nothing is cleaned up.
    pub async fn kill(mut self) {
        self.aborts.iter().for_each(AbortHandle::abort);
        if let Some(task) = self.task.take() {
            let _ = task.await;
        }
        // Its tasks are dropped by the runtime, one turn at a time. Until then it has its place.
        for _ in 0..TURNS {
            if !self.audit.is_seated(&self.worker) {
                return;
            }
            yield_now().await;
        }
        panic!("worker {} does not die", self.worker);
    }

    /// Makes everybody believe that it is dead, while it works on.
    pub fn presume_dead(&self) {
        self.audit.presume_dead(&self.worker);
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        self.aborts.iter().for_each(AbortHandle::abort);
    }
}

/// A command that drives its own run in the foreground.
pub struct Foreground {
    seat: Seat,
    audit: Arc<Audit>,
}

impl Foreground {
    pub async fn start(engine: &Arc<Engine>, audit: Arc<Audit>) -> Self {
        Self { seat: engine.enlist().await.expect("there is always a place"), audit }
    }

    pub async fn begin(&self, order: impl Into<Order>) -> (Submitted, Drive) {
        self.try_begin(order).await.expect("the run is admitted")
    }

    pub async fn try_begin(&self, order: impl Into<Order>) -> Result<(Submitted, Drive), Error> {
        self.seat.begin(order.into().submission()).await
    }

    /// Forks a run, and holds the new one.
    pub async fn fork(&self, fork: Fork) -> Result<(Submitted, Drive), Error> {
        self.seat.fork(fork).await
    }

    /// Takes a run by name, and does not drive it yet.
    pub async fn held(&self, run: &RunId) -> Drive {
        self.seat.take(run).await.expect("the run is free")
    }

    /// Takes a run by name and drives it.
    pub async fn take(&self, run: &RunId) -> Result<Left, Error> {
        let drive = self.seat.take(run).await?;
        self.attend(drive).await
    }

    pub async fn attend(&self, drive: Drive) -> Result<Left, Error> {
        // Nobody will ever tell it to stop.
        let (_, stopped) = watch::channel(Stop::GoOn);
        self.seat.attend(drive, stopped).await
    }

    /// Makes everybody believe that it is dead, while it works on.
    pub fn presume_dead(&self) {
        self.audit.presume_dead(self.seat.worker());
    }
}
