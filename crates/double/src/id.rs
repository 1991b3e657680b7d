//! Ids in the style of the providers: equal for the same request of the same double.

use std::time::{SystemTime, UNIX_EPOCH};

use sha2::{Digest, Sha256};

/// The number of an exchange, from which its ids are made.
#[derive(Clone, Copy, Debug)]
pub(super) struct Serial(pub(super) u64);

impl Serial {
    /// A prefix and up to 32 letters and digits. What it is for keeps two ids of one exchange apart.
    pub(super) fn id(self, prefix: &str, purpose: &str, length: usize) -> String {
        const LETTERS: &[u8; 62] =
            b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
        let digest = Sha256::digest(format!("{purpose}:{}", self.0));
        let letters =
            digest.iter().take(length).map(|byte| char::from(LETTERS[usize::from(*byte) % 62]));
        prefix.chars().chain(letters).collect()
    }

    /// The id of a tool call, by its place among the calls.
    pub(super) fn call(self, prefix: &str, place: usize) -> String {
        self.id(prefix, &format!("call {place}"), 24)
    }
}

/// Seconds since 1970.
pub(super) fn now() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs())
}
