//! What the double keeps of each request: enough for a test, and no secret.

use std::collections::VecDeque;

use consign_models::Provider;
use serde::Serialize;
use sha2::{Digest, Sha256};

/// One request.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Seen {
    /// The path, without the query, which may hold a key.
    pub path: String,
    pub provider: Provider,
    pub model: Option<String>,
    pub stream: bool,
    /// The names of the headers, in lower case.
    pub headers: Vec<String>,
    /// Tells two keys apart without revealing them; `None` if there was no key.
    pub key: Option<String>,
    /// The body, up to 64 KB of it.
    pub body: String,
    /// How many bytes it had.
    pub body_bytes: usize,
    /// The status of the answer.
    pub status: u16,
}

const MOST_REQUESTS: usize = 1_000;
const MOST_BODY_BYTES: usize = 64 << 10;

/// The last requests.
#[derive(Debug, Default)]
pub(super) struct Memory {
    requests: VecDeque<Seen>,
}

impl Memory {
    pub(super) fn keep(&mut self, seen: Seen) {
        if self.requests.len() == MOST_REQUESTS {
            self.requests.pop_front();
        }
        self.requests.push_back(seen);
    }

    pub(super) fn all(&self) -> Vec<Seen> {
        self.requests.iter().cloned().collect()
    }
}

/// The first bytes of a body, as text.
pub(super) fn beginning(body: &[u8]) -> String {
    let text = String::from_utf8_lossy(&body[..body.len().min(MOST_BODY_BYTES)]);
    text.into_owned()
}

pub(super) fn fingerprint(key: &str) -> String {
    hex::encode(&Sha256::digest(key)[..4])
}
