//! The signal that a server stops, for answers that would otherwise never end.

use tokio::sync::watch;

/// Tells when the server stops.
#[derive(Clone, Debug)]
pub struct Closing(watch::Receiver<bool>);

impl Closing {
    #[must_use]
    pub fn new(told: watch::Receiver<bool>) -> Self {
        Self(told)
    }

    #[must_use]
    pub fn is_told(&self) -> bool {
        *self.0.borrow() || self.0.has_changed().is_err()
    }

    /// Returns when the server stops.
    pub async fn wait(&mut self) {
        // The sender has gone: that is the end too.
        let _ = self.0.wait_for(|closing| *closing).await;
    }
}
