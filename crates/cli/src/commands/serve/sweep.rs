//! What was sent to the server and is needed by no run is removed, and what is to be forgotten is erased: when it starts, and
//! every hour.

use std::time::Duration;

use consign_app::{conversations, documents};
use consign_engine::Stop;
use tokio::sync::watch;
use tracing::warn;

use crate::engine::Session;

const PAUSE: Duration = Duration::from_secs(3600);

/// Sweeps until the server is told to stop.
pub(super) async fn every_hour(session: &Session, mut stop: watch::Receiver<Stop>) {
    loop {
        if let Err(error) = documents::sweep(session).await {
            warn!(%error, "what uploads and ingests left could not be removed");
        }
        if let Err(error) = conversations::redact_forgotten(session, &session.user).await {
            warn!(%error, "what is to be forgotten could not be erased");
        }
        tokio::select! {
            () = tokio::time::sleep(PAUSE) => {}
            _ = stop.wait_for(|stop| *stop != Stop::GoOn) => return,
        }
    }
}
