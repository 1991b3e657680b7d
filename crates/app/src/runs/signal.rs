//! Sending a signal to a run.

use std::sync::Arc;

use consign_engine::{Data, Engine, RunId, Speaker, store::Row};
use consign_supervised::SUPERVISED;

use crate::error::{Error, Refused};

/// Refuses what would go past the rules of supervised jobs. `why` follows "a supervised job".
pub(crate) async fn refuse_for_job(engine: &Engine, run: &RunId, why: &str) -> Result<(), Error> {
    if engine.store().row(run).await?.workflow != SUPERVISED {
        return Ok(());
    }
    let told = format!("run {run} is of a supervised job, and a supervised job {why}");
    Err(Refused::new("JOB_COMMAND_REQUIRED", told).hint("see: consign job --help").into())
}

/// Sends a signal that the run's workflow declares. Gives the run as it is then.
pub async fn signal(
    engine: &Arc<Engine>,
    run: &RunId,
    name: &str,
    value: &Data,
    by: &Speaker,
) -> Result<Row, Error> {
    refuse_for_job(engine, run, "is signalled by its own commands, which check more").await?;
    engine.signal(run, name, value, by).await?;
    Ok(engine.store().row(run).await?)
}
