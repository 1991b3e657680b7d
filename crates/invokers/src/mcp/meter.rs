//! Counts the bytes that a server sends in a session, and stops reading at a limit.

use std::{
    io,
    pin::Pin,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    task::{Context, Poll, ready},
};

use tokio::io::{AsyncRead, ReadBuf};

/// The count of one session, shared by all its readers.
#[derive(Clone, Debug)]
pub(super) struct Meter {
    left: Arc<AtomicU64>,
}

/// The bytes allowed besides the result: for the handshake and notifications.
const SLACK: u64 = 256 << 10;

impl Meter {
    pub(super) fn new(output: u64) -> Self {
        Self { left: Arc::new(AtomicU64::new(output.saturating_add(SLACK))) }
    }

    /// Adds to the count. Returns false if the limit is exceeded.
    pub(super) fn count(&self, bytes: usize) -> bool {
        let bytes = bytes as u64;
        let less = |left: u64| Some(left.saturating_sub(bytes));
        let update = self.left.fetch_update(Ordering::Relaxed, Ordering::Relaxed, less);
        update.is_ok_and(|left| left > bytes)
    }

    pub(super) fn is_spent(&self) -> bool {
        self.left.load(Ordering::Relaxed) == 0
    }

    pub(super) fn listen<R>(&self, to: R) -> Metered<R> {
        Metered { inner: to, meter: self.clone() }
    }
}

pub(super) struct Metered<R> {
    inner: R,
    meter: Meter,
}

impl<R: AsyncRead + Unpin> AsyncRead for Metered<R> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        into: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let before = into.filled().len();
        ready!(Pin::new(&mut self.inner).poll_read(context, into))?;
        if self.meter.count(into.filled().len() - before) {
            return Poll::Ready(Ok(()));
        }
        Poll::Ready(Err(io::Error::other("the server sent more than its limit")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_meter_is_spent_at_its_limit() {
        let meter = Meter::new(100);
        assert!(meter.count(100) && meter.clone().count(0) && !meter.is_spent());
        assert!(!meter.count(SLACK as usize));
        assert!(meter.is_spent() && !meter.count(1));
    }
}
