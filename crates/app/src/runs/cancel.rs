//! Cancelling a run.

use std::{sync::Arc, time::Duration};

use consign_engine::{
    Engine, RunId, Speaker, Stop,
    store::{Row, Tick},
};
use tokio::{
    sync::watch,
    time::{Instant, sleep_until},
};

use crate::{
    error::Error,
    foreground::{Ended, Foreground, Observer, Unobserved},
    next::is_foreground,
};

/// Commits the wish to cancel. Whichever process has the run, or takes it next, closes it: see [`close`].
pub async fn cancel(
    engine: &Arc<Engine>,
    run: &RunId,
    reason: Option<String>,
    by: &Speaker,
) -> Result<Row, Error> {
    engine.cancel(run, reason, by).await?;
    Ok(engine.store().row(run).await?)
}

/// Commits the wish to cancel, and closes a run of the command line that no process holds: no worker would take it. If
/// closing fails, another process has the run or will take it, and finds the wish in the journal. Gives the run as it is
/// then.
pub async fn cancel_unattended(
    engine: &Arc<Engine>,
    run: &RunId,
    reason: Option<String>,
    by: &Speaker,
) -> Result<Row, Error> {
    let row = cancel(engine, run, reason, by).await?;
    if !is_foreground(&row) || row.worker.is_some() {
        return Ok(row);
    }
    let (closed_by, closed) = (engine.clone(), run.clone());
    // In a task, so that it ends even if the caller is no longer there.
    let closing = tokio::spawn(async move {
        let (_go_on, stop) = watch::channel(Stop::GoOn);
        close(&closed_by, &closed, Duration::ZERO, &stop, &mut Unobserved, |_| {}).await
    });
    let _ = closing.await;
    Ok(engine.store().row(run).await?)
}

/// Closes a run that is to be cancelled, or waits until the process that holds it has; at most so long. `waits` is
/// called once, after a second, with the run that is waited for.
pub async fn close(
    engine: &Arc<Engine>,
    run: &RunId,
    patience: Duration,
    stop: &watch::Receiver<Stop>,
    observer: &mut dyn Observer,
    mut waits: impl FnMut(&Row),
) -> Result<Row, Error> {
    let store = engine.store();
    let until = Instant::now() + patience;
    let mut tick = Tick::default();
    let mut tell_at = Some(Instant::now() + Duration::from_secs(1));
    loop {
        let row = store.row(run).await?;
        if row.status.is_closed() {
            return Ok(row);
        }
        if row.worker.is_none()
            && let mut foreground = Foreground::new(engine).await?
            && let Some(drive) = foreground.take_if_free(run).await?
        {
            return Ok(match foreground.go_on(run, Some(drive), stop, observer).await? {
                Ended::Closed(row) | Ended::Waiting(row, _) | Ended::Stopped(row) => row,
            });
        }
        tokio::select! {
            now = store.changed(tick) => tick = now,
            () = sleep_until(tell_at.unwrap_or(until)), if tell_at.is_some() => {
                tell_at = None;
                waits(&row);
            }
            () = sleep_until(until) => return Ok(row),
        }
        store.reclaim().await?;
    }
}
