//! Raising the limits of a run.

use std::sync::Arc;

use consign_engine::{Engine, Limits, RunId, Speaker, store::Row};

use crate::error::{Error, Refused};

/// Sets higher limits, each the whole of the new one. Gives the run as it is then.
pub async fn raise(
    engine: &Arc<Engine>,
    run: &RunId,
    to: &Limits,
    by: &Speaker,
) -> Result<Row, Error> {
    if *to == Limits::default() {
        return Err(Refused::usage("USAGE", "no limit was named").into());
    }
    engine.raise(run, to, by).await?;
    Ok(engine.store().row(run).await?)
}
