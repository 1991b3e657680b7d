//! What is forgotten on purpose: passages of removed sources, and journals of turns that held them.

use consign_engine::{Error as EngineError, Owner, Speaker, store};
use consign_knowledge::SourceId;
use tracing::warn;

use crate::{Home, error::Error};

/// Runs that are looked up at a time.
const BATCH: usize = 100;

/// Takes a source that was removed out of conversations and of the journals of their turns.
pub(crate) async fn forget_source(
    home: &Home,
    owner: &Owner,
    speaker: &Speaker,
    source: &SourceId,
) -> Result<(), Error> {
    home.turns.conversations.forget_source(owner, source).await?;
    redact_forgotten(home, speaker).await
}

/// Erases the journals of turns that are to be forgotten. A turn that is still under way is erased by a later call.
pub async fn redact_forgotten(home: &Home, speaker: &Speaker) -> Result<(), Error> {
    let mut open = 0;
    loop {
        let runs = home.turns.conversations.to_redact(open + BATCH).await?;
        let is_all = runs.len() < open + BATCH;
        for run in runs.iter().skip(open) {
            let redacted = match home.store().row(run).await {
                Ok(row) if !row.status.is_closed() => {
                    open += 1;
                    continue;
                }
                Ok(_) => home.engine.redact(run, speaker).await.map(drop),
                // A turn that was never made has nothing to erase.
                Err(store::Error::NotFound(_)) => Ok(()),
                Err(error) => Err(EngineError::from(error)),
            };
            if let Err(error) = redacted {
                warn!(run = run.as_str(), %error, "a turn could not be erased yet");
                open += 1;
                continue;
            }
            home.turns.conversations.redacted(run).await?;
        }
        if is_all {
            return Ok(());
        }
    }
}
