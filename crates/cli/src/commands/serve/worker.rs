//! The worker beside the server: on a thread of its own, so that whatever a run computes, requests are
//! answered; and for as long as the server is there. Where both could compute, requests come first: the worker's threads,
//! and the programs that its runs start, have a lower priority than the server's.

use std::thread;

use consign_app::workers::Enlisted;
use consign_engine::{Report, Stop};
use consign_server::WorkerHealth;
use rustix::{process::setpriority_process, thread::gettid};
use tokio::sync::{oneshot, watch};

use crate::{engine::complete, error::Error};

/// How much the worker yields: beside a request it still gets about a tenth of a processor.
const BEHIND_REQUESTS: i32 = 10;

/// Lets a worker work until it is told to stop. A store that cannot be used is waited for, which the log is told
/// when it begins and when it is over; meanwhile no run is driven. Any other error is the end.
pub(super) async fn work(
    worker: Enlisted,
    stop: watch::Receiver<Stop>,
    health: WorkerHealth,
) -> Result<(), Error> {
    let (send, ended) = oneshot::channel();
    let work = move || {
        // Where priorities cannot be had, it works all the same.
        let _ = setpriority_process(Some(gettid()), BEHIND_REQUESTS);
        let told = health.clone();
        let worked = complete(async {
            worker.patient().work(stop, |report| heed(&report, &told)).await?;
            Ok(())
        });
        health.set(false);
        let _ = send.send(worked);
    };
    let begun = thread::Builder::new().name("consign-worker".into()).spawn(work);
    begun.map_err(|cause| Error::new("INTERNAL", format!("could not start: {cause}")))?;
    let gone = |_| Error::new("INTERNAL", "the worker broke down");
    ended.await.map_err(gone)?
}

fn heed(report: &Report, health: &WorkerHealth) {
    match report {
        Report::Unavailable(_) => health.set(false),
        Report::Available => health.set(true),
        Report::Damaged(..) | Report::Reclaimed(_) | Report::Claimed(_) | Report::Left(..) => {}
    }
}
