//! Waiting for a run that another process drives.

use std::sync::Arc;

use consign_engine::{
    Engine, RunId, Status,
    store::{Row, Tick},
};
use tokio::time::{Instant, sleep_until};

use crate::{closing::Closing, error::Error, view};

/// Waits until a run has ended or asks something, at most until then or until the process stops. Gives the run as it
/// is then.
pub async fn wait(
    engine: &Arc<Engine>,
    run: &RunId,
    until: Instant,
    closing: Option<Closing>,
) -> Result<Row, Error> {
    let mut closing = closing;
    let mut tick = Tick::default();
    loop {
        let row = engine.store().row(run).await?;
        let asks = row.status == Status::Waiting && !view::open_asks(engine, run).await?.is_empty();
        if row.status.is_closed() || asks || Instant::now() >= until {
            return Ok(row);
        }
        let stops = async {
            match &mut closing {
                Some(closing) => closing.wait().await,
                None => std::future::pending().await,
            }
        };
        tokio::select! {
            now = engine.store().changed(tick) => tick = now,
            () = sleep_until(until) => {}
            () = stops => return Ok(row),
        }
    }
}
