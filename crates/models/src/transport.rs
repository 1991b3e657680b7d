//! One HTTP exchange with a provider: bytes out, bytes in.
//!
//! This is where the network can be replaced: by a recording, by the double in the same process, or
//! by anything a test wants. Nothing above it knows which.

use async_trait::async_trait;
use bytes::Bytes;
use futures_util::stream::BoxStream;

/// A POST of JSON.
#[derive(Clone, Debug)]
pub struct Outgoing {
    pub url: String,
    /// All headers but the content type and the secret.
    pub headers: Vec<(&'static str, String)>,
    /// Header and value. Kept apart, so that it is not recorded or printed by mistake.
    pub secret: Option<(&'static str, Secret)>,
    pub body: Bytes,
}

/// Text that is never printed.
#[derive(Clone)]
pub struct Secret(zeroize::Zeroizing<String>);

impl Secret {
    #[must_use]
    pub fn new(text: String) -> Self {
        Self(zeroize::Zeroizing::new(text))
    }

    /// The text. This is the only way to it: search for this name to see where secrets go.
    #[must_use]
    pub fn reveal(&self) -> &str {
        &self.0
    }
}

impl std::fmt::Debug for Secret {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("***")
    }
}

/// The head of an answer, and its body as it comes.
pub struct Incoming {
    pub status: u16,
    /// Names in lower case.
    pub headers: Vec<(String, String)>,
    pub body: BoxStream<'static, Result<Bytes, Broken>>,
}

impl Incoming {
    #[must_use]
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }
}

/// Why there is no answer, or only a part of it.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Broken {
    /// Nothing was sent: nothing can have been charged.
    #[error("could not reach {0}")]
    Unreached(String),
    /// The request was sent, and it is unknown what the provider did with it.
    #[error("{0}")]
    Lost(String),
    /// A recording has no such exchange. Trying again is no use.
    #[error("{0}")]
    Unrecorded(String),
}

#[async_trait]
pub trait Transport: Send + Sync {
    async fn send(&self, request: Outgoing) -> Result<Incoming, Broken>;
}
