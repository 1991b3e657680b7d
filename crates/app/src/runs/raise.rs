//! Raising the limits of a run.

use consign_engine::{Actor, Limits, RunId, store::Row};

use crate::{
    error::{Error, Refused},
    home::Home,
};

/// Sets higher limits, each the whole of the new one. Gives the run as it is then.
pub async fn raise(home: &Home, run: &RunId, to: &Limits, actor: &Actor) -> Result<Row, Error> {
    if *to == Limits::default() {
        return Err(Refused::usage("USAGE", "no limit was named").into());
    }
    home.engine.raise(run, to, actor).await?;
    Ok(home.store().row(run).await?)
}
