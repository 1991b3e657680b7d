//! Sending a signal to a run.

use std::sync::Arc;

use consign_engine::{Data, Engine, RunId, Speaker, store::Row};

use crate::error::Error;

/// Sends a signal that the run's workflow declares. Gives the run as it is then.
pub async fn signal(
    engine: &Arc<Engine>,
    run: &RunId,
    name: &str,
    value: &Data,
    by: &Speaker,
) -> Result<Row, Error> {
    engine.signal(run, name, value, by).await?;
    Ok(engine.store().row(run).await?)
}
