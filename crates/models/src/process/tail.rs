//! The last bytes of a stream, however long it is.

use std::sync::{Arc, Mutex, PoisonError};

use tokio::io::{AsyncRead, AsyncReadExt};

/// Shared with whoever fills it.
#[derive(Clone, Debug)]
pub(crate) struct Tail {
    bytes: Arc<Mutex<Vec<u8>>>,
    most: usize,
}

impl Tail {
    pub(crate) fn new(most: usize) -> Self {
        Self { bytes: Arc::default(), most }
    }

    fn push(&self, more: &[u8]) {
        let mut bytes = self.bytes.lock().unwrap_or_else(PoisonError::into_inner);
        bytes.extend_from_slice(more);
        // Not at every turn, so that a byte is moved once and not for every byte that follows.
        if bytes.len() > 2 * self.most {
            let gone = bytes.len() - self.most;
            bytes.drain(..gone);
        }
    }

    /// What there is so far, the last bytes only.
    pub(crate) fn take(&self) -> Vec<u8> {
        let mut bytes =
            std::mem::take(&mut *self.bytes.lock().unwrap_or_else(PoisonError::into_inner));
        let gone = bytes.len().saturating_sub(self.most);
        bytes.drain(..gone);
        bytes
    }

    /// Reads to the end, be it never so far.
    pub(crate) async fn fill(self, mut from: impl AsyncRead + Unpin) {
        let mut chunk = vec![0; 16 << 10];
        while let Ok(read @ 1..) = from.read(&mut chunk).await {
            self.push(&chunk[..read]);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn the_last_bytes_are_kept_and_no_more_than_twice_as_many_ever() {
        let check = async |wrote: &[u8], kept: &[u8]| {
            let tail = Tail::new(4);
            tail.clone().fill(wrote).await;
            assert!(tail.bytes.lock().unwrap().len() <= 8);
            assert_eq!(tail.take(), kept);
        };
        check(b"", b"").await;
        check(b"abc", b"abc").await;
        check(b"abcdefg", b"defg").await;
        check(&[b'x'; 100_000], b"xxxx").await;
    }
}
