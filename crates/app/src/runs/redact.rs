//! Redacting a run.

use std::{path::PathBuf, sync::Arc};

use consign_engine::{Engine, Redaction, RunId, Speaker, store::Row};
use consign_supervised::{SUPERVISED, state::JobState};
use tracing::warn;

use crate::error::Error;

/// What a redaction came to.
#[derive(Clone, Debug)]
pub struct Redacted {
    /// The run as it is then.
    pub row: Row,
    pub redaction: Redaction,
    /// The directory of a supervised job, whose files are the project's and stay.
    pub left: Option<PathBuf>,
}

/// Erases what a run that is over has said and heard, for good. It is for a person.
pub async fn redact(engine: &Arc<Engine>, run: &RunId, by: &Speaker) -> Result<Redacted, Error> {
    by.as_person("redacting a run")?;
    let left = directory(engine, run).await?;
    let redaction = engine.redact(run, by).await?;
    // Large states that were replaced long ago are in files that no row names.
    if let Err(error) = engine.store().tidy().await {
        warn!(%run, %error, "what no run names any more could not be removed yet");
    }
    Ok(Redacted { row: engine.store().row(run).await?, redaction, left })
}

/// The directory of the supervised job that a run is of, while that can be told.
async fn directory(engine: &Engine, run: &RunId) -> Result<Option<PathBuf>, Error> {
    if engine.store().row(run).await?.workflow != SUPERVISED {
        return Ok(None);
    }
    let state = engine.state(run).await.ok().and_then(|state| state.to::<JobState>().ok());
    Ok(state.map(|state| state.directory))
}
