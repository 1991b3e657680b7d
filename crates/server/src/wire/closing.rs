//! The word that the server stops, for answers that would otherwise never end.

use tokio::sync::watch;

#[derive(Clone, Debug)]
pub(crate) struct Closing(watch::Receiver<bool>);

impl Closing {
    pub(crate) fn new(told: watch::Receiver<bool>) -> Self {
        Self(told)
    }

    pub(crate) fn is_told(&self) -> bool {
        *self.0.borrow() || self.0.has_changed().is_err()
    }

    /// Comes back when the server stops.
    pub(crate) async fn wait(&mut self) {
        // The sender has gone: that is the end too.
        let _ = self.0.wait_for(|closing| *closing).await;
    }
}
