//! Keeps the last bytes of a stream, however long it is.

use std::sync::{Arc, Mutex, PoisonError};

use tokio::io::{AsyncRead, AsyncReadExt};

use crate::outside::Heard;

/// A buffer that is shared with the task that fills it.
#[derive(Clone, Debug)]
pub(crate) struct Tail {
    heard: Arc<Mutex<Heard>>,
    most: usize,
}

impl Tail {
    pub(crate) fn new(most: usize) -> Self {
        Self { heard: Arc::default(), most }
    }

    fn push(&self, more: &[u8]) {
        let mut heard = self.heard.lock().unwrap_or_else(PoisonError::into_inner);
        heard.bytes.extend_from_slice(more);
        // Not at every turn, so that a byte is moved once and not for every byte that follows.
        if heard.bytes.len() > 2 * self.most {
            self.shorten(&mut heard);
        }
    }

    /// The last bytes so far.
    pub(crate) fn take(&self) -> Heard {
        let mut heard =
            std::mem::take(&mut *self.heard.lock().unwrap_or_else(PoisonError::into_inner));
        self.shorten(&mut heard);
        heard
    }

    fn shorten(&self, heard: &mut Heard) {
        let gone = heard.bytes.len().saturating_sub(self.most);
        heard.bytes.drain(..gone);
        heard.cut |= gone > 0;
    }

    /// Reads the stream to its end.
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
        let check = async |wrote: &[u8], kept: &[u8], cut: bool| {
            let tail = Tail::new(4);
            tail.clone().fill(wrote).await;
            assert!(tail.heard.lock().unwrap().bytes.len() <= 8);
            let heard = tail.take();
            assert_eq!((heard.bytes.as_slice(), heard.cut), (kept, cut));
        };
        check(b"", b"", false).await;
        check(b"abcd", b"abcd", false).await;
        check(b"abcdefg", b"defg", true).await;
        check(&[b'x'; 100_000], b"xxxx", true).await;
    }
}
