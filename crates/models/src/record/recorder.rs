//! Writes exchanges down as they happen.

use std::{
    fs::{File, OpenOptions},
    io::Write,
    os::unix::fs::OpenOptionsExt,
    path::{Path, PathBuf},
    sync::{Arc, Mutex, PoisonError},
};

use async_trait::async_trait;
use bytes::{Bytes, BytesMut};
use futures_util::{StreamExt, stream};

use super::exchange::{Body, Exchange, path_of};
use crate::{
    ModelName,
    client::SHORTEST_KEY,
    transport::{Broken, Incoming, Outgoing, Secret, Transport},
};

/// No more of a response is kept.
const MOST_KEPT: usize = 16 << 20;
/// Those that mean something to whoever reads the response; others may say who was there.
const HEADERS: [&str; 3] = ["content-type", "retry-after", "retry-after-ms"];

/// A transport that writes down what passes through it.
pub struct Recorder {
    inner: Arc<dyn Transport>,
    tape: Arc<Tape>,
    model: String,
}

/// The file of a recording.
pub struct Tape {
    path: PathBuf,
    file: Mutex<File>,
    failure: Mutex<Option<String>>,
}

impl Tape {
    /// Opens a recording to go on with it. Nobody else may read what was said.
    pub fn open(path: &Path) -> std::io::Result<Arc<Self>> {
        let file = OpenOptions::new().create(true).append(true).mode(0o600).open(path)?;
        let (path, file) = (path.to_owned(), Mutex::new(file));
        Ok(Arc::new(Self { path, file, failure: Mutex::default() }))
    }

    /// Why something could not be recorded. The answer was paid for, and counts all the same.
    #[must_use]
    pub fn failure(&self) -> Option<String> {
        self.failure.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn write(&self, exchange: &Exchange) {
        let written =
            serde_json::to_vec(exchange).map_err(std::io::Error::from).and_then(|mut line| {
                line.push(b'\n');
                let mut file = self.file.lock().unwrap_or_else(PoisonError::into_inner);
                file.write_all(&line)?;
                file.sync_data()
            });
        if let Err(cause) = written {
            let why = format!("could not record to {}: {cause}", self.path.display());
            *self.failure.lock().unwrap_or_else(PoisonError::into_inner) = Some(why);
        }
    }
}

impl Recorder {
    #[must_use]
    pub fn new(inner: Arc<dyn Transport>, tape: Arc<Tape>, model: &ModelName) -> Self {
        Self { inner, tape, model: model.to_string() }
    }
}

#[async_trait]
impl Transport for Recorder {
    async fn send(&self, request: Outgoing) -> Result<Incoming, Broken> {
        let secret = request.secret.as_ref().map(|(_, secret)| secret.clone());
        let (path, body) = (path_of(&request.url), request.body.clone());
        let incoming = self.inner.send(request).await?;
        let kept = |(name, _): &&(String, String)| HEADERS.contains(&name.as_str());
        let exchange = Exchange {
            model: self.model.clone(),
            path,
            request: Body::new(&body),
            status: incoming.status,
            headers: incoming.headers.iter().filter(kept).cloned().collect(),
            response: Body::Text(String::new()),
            broken: None,
        };
        let taping = Taping {
            tape: self.tape.clone(),
            exchange,
            secret,
            heard: BytesMut::new(),
            over: false,
        };
        let body = stream::unfold((incoming.body, taping), |(mut body, mut taping)| async move {
            if taping.over {
                return None;
            }
            let passed = match body.next().await {
                Some(Ok(chunk)) => {
                    taping.hear(&chunk);
                    Ok(chunk)
                }
                Some(Err(broken)) => {
                    taping.end(Some(broken.to_string()));
                    Err(broken)
                }
                None => {
                    taping.end(None);
                    return None;
                }
            };
            Some((passed, (body, taping)))
        });
        Ok(Incoming { body: body.boxed(), ..incoming })
    }
}

/// An exchange that is under way.
struct Taping {
    tape: Arc<Tape>,
    exchange: Exchange,
    secret: Option<Secret>,
    heard: BytesMut,
    over: bool,
}

impl Taping {
    fn hear(&mut self, chunk: &Bytes) {
        let room = MOST_KEPT.saturating_sub(self.heard.len());
        self.heard.extend_from_slice(&chunk[..chunk.len().min(room)]);
    }

    fn end(&mut self, broken: Option<String>) {
        self.over = true;
        self.exchange.response = Body::new(&clean(&self.heard, self.secret.as_ref()));
        self.exchange.broken = broken;
        self.tape.write(&self.exchange);
    }
}

/// Whoever listens no longer reads to the end once it has what it wants: what was heard is kept.
impl Drop for Taping {
    fn drop(&mut self) {
        if !self.over && !self.heard.is_empty() {
            self.end(None);
        }
    }
}

/// The bytes without the secret, should somebody repeat it.
fn clean(bytes: &[u8], secret: Option<&Secret>) -> Vec<u8> {
    // Some headers have a word before the key.
    let key = secret.and_then(|secret| secret.reveal().split_whitespace().next_back());
    let key = key.filter(|key| key.len() >= SHORTEST_KEY);
    let Some(secret) = key.map(str::as_bytes) else { return bytes.to_vec() };
    let mut cleaned = Vec::with_capacity(bytes.len());
    let mut rest = bytes;
    while let Some(at) = rest.windows(secret.len()).position(|window| window == secret) {
        cleaned.extend_from_slice(&rest[..at]);
        cleaned.extend_from_slice(b"***");
        rest = &rest[at + secret.len()..];
    }
    cleaned.extend_from_slice(rest);
    cleaned
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_that_is_repeated_is_not_kept_whatever_stands_before_it() {
        for header in ["Bearer sk-123456", "sk-123456"] {
            let secret = Secret::new(header.to_owned());
            let cleaned = clean(b"bad key sk-123456, I said sk-123456", Some(&secret));
            assert_eq!(cleaned, b"bad key ***, I said ***");
        }
        assert_eq!(clean(b"as it is", None), b"as it is");
        let any = Secret::new("any".to_owned());
        assert_eq!(clean(b"anything", Some(&any)), b"anything", "too short to be one");
    }
}
