//! Lets an agent sleep until it is cancelled.

use std::time::Duration;

use consign_engine::Fault;

/// Sleeps, unless the attempt is cancelled meanwhile.
pub(super) async fn nap(span: Duration, cancelled: impl Future<Output = ()>) -> Result<(), Fault> {
    if span.is_zero() {
        return Ok(());
    }
    tokio::select! {
        () = tokio::time::sleep(span) => Ok(()),
        () = cancelled => {
            Err(Fault::transient("CANCELLED", "the agent was cancelled while it slept"))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_cancelled_nap_ends_at_once() {
        let fault = nap(Duration::from_secs(3600), async {}).await.unwrap_err();
        assert_eq!(fault.code, "CANCELLED");
    }

    #[tokio::test]
    async fn a_nap_of_no_length_does_not_look() {
        nap(Duration::ZERO, async {}).await.unwrap();
    }
}
