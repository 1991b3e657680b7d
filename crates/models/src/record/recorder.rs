//! Writes a recording: a [`Transport`] that passes exchanges on and appends each to a file.
//!
//! No key and no header that identifies the caller is written. A failure to write does not fail the
//! call: the answer was paid for.

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
    client::{SHORTEST_IN_ANSWERS, SHORTEST_KEY},
    transport::{Broken, Incoming, Outgoing, Secret, Transport},
    wire::Reader,
};

/// The most bytes of a response that are kept.
const MOST_KEPT: usize = 16 << 20;
/// The headers that are kept, because they matter to a reader of the response. Others may identify
/// the caller.
const HEADERS: [&str; 3] = ["content-type", "retry-after", "retry-after-ms"];
/// Kept only together with `retry-after`, which may be counted from it; otherwise every recording
/// would differ.
const DATE: &str = "date";

/// A transport that writes down what passes through it.
pub struct Recorder {
    inner: Arc<dyn Transport>,
    tape: Arc<Tape>,
    model: ModelName,
}

/// The file of a recording.
pub struct Tape {
    path: PathBuf,
    file: Mutex<File>,
    failure: Mutex<Option<String>>,
}

impl Tape {
    /// Opens a recording to append to it. A new file is readable for this user only.
    pub fn open(path: &Path) -> std::io::Result<Arc<Self>> {
        let file = OpenOptions::new().create(true).append(true).mode(0o600).open(path)?;
        let (path, file) = (path.to_owned(), Mutex::new(file));
        Ok(Arc::new(Self { path, file, failure: Mutex::default() }))
    }

    /// Why something could not be recorded; reported once. Later exchanges may be recorded again.
    #[must_use]
    pub fn failure(&self) -> Option<String> {
        self.failure.lock().unwrap_or_else(PoisonError::into_inner).take()
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
        Self { inner, tape, model: model.clone() }
    }
}

#[async_trait]
impl Transport for Recorder {
    async fn send(&self, request: Outgoing) -> Result<Incoming, Broken> {
        let secret = request.secret.as_ref().map(|(_, secret)| secret.clone());
        let (path, body) = (path_of(&request.url), request.body.clone());
        let incoming = self.inner.send(request).await?;
        let dated = incoming.header("retry-after").is_some();
        let kept = |(name, _): &&(String, String)| {
            HEADERS.contains(&name.as_str()) || dated && name == DATE
        };
        let exchange = Exchange {
            model: self.model.to_string(),
            path,
            request: Body::new(&body),
            status: incoming.status,
            headers: incoming.headers.iter().filter(kept).cloned().collect(),
            response: Body::Text(String::new()),
            broken: None,
        };
        let taping = Taping {
            tape: self.tape.clone(),
            reader: Reader::new(self.model.provider, MOST_KEPT),
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
    /// Reads the response as the caller does, to know when it is complete.
    reader: Reader,
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
        let answered = (200..300).contains(&self.exchange.status);
        let shortest = if answered { SHORTEST_IN_ANSWERS } else { SHORTEST_KEY };
        self.exchange.response = Body::new(&clean(&self.heard, self.secret.as_ref(), shortest));
        self.exchange.broken = broken;
        self.tape.write(&self.exchange);
    }
}

/// A caller stops reading once it has a complete answer, and then the recording is complete too. If
/// it stops before that, because the answer stalled or was no longer wanted, the exchange is marked
/// as broken, so that a replay does not take it for an answer.
impl Drop for Taping {
    fn drop(&mut self) {
        if self.over {
            return;
        }
        let read = self.reader.push(&self.heard, &mut |_| {});
        let done = read.is_err() || self.reader.is_over() || self.reader.is_complete();
        self.end((!done).then(|| "the caller stopped reading before the end".to_owned()));
    }
}

/// The bytes without the secret, in case the provider repeats it.
fn clean(bytes: &[u8], secret: Option<&Secret>, shortest: usize) -> Vec<u8> {
    // Some headers have a word before the key.
    let key = secret.and_then(|secret| secret.reveal().split_whitespace().next_back());
    let key = key.filter(|key| key.len() >= shortest);
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
            let said = b"bad key sk-123456, I said sk-123456";
            let cleaned = clean(said, Some(&secret), SHORTEST_KEY);
            assert_eq!(cleaned, b"bad key ***, I said ***");
        }
        assert_eq!(clean(b"as it is", None, SHORTEST_KEY), b"as it is");
        let any = Secret::new("any".to_owned());
        let cleaned = clean(b"anything", Some(&any), SHORTEST_KEY);
        assert_eq!(cleaned, b"anything", "too short to be one");
    }

    /// Says this and then nothing more, without an end.
    struct Stalls {
        status: u16,
        headers: Vec<(&'static str, &'static str)>,
        said: &'static str,
    }

    #[async_trait]
    impl Transport for Stalls {
        async fn send(&self, _request: Outgoing) -> Result<Incoming, Broken> {
            let said = stream::iter([Ok(Bytes::from_static(self.said.as_bytes()))]);
            let body = said.chain(stream::pending()).boxed();
            let own = |(name, value): &(&str, &str)| ((*name).to_owned(), (*value).to_owned());
            let headers = self.headers.iter().map(own).collect();
            Ok(Incoming { status: self.status, headers, body })
        }
    }

    /// What is recorded if somebody listens to the first piece and no longer.
    async fn recorded(server: Stalls, pieces: usize) -> Exchange {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("tape.jsonl");
        let model = "openai/gpt-5-mini".parse().unwrap();
        let recorder = Recorder::new(Arc::new(server), Tape::open(&path).unwrap(), &model);
        let url = "http://h/v1/chat/completions".to_owned();
        let secret = Some(("authorization", Secret::new("Bearer ollama".to_owned())));
        let request = Outgoing { url, headers: Vec::new(), secret, body: Bytes::new() };
        let mut incoming = recorder.send(request).await.unwrap();
        for _ in 0..pieces {
            incoming.body.next().await.unwrap().unwrap();
        }
        drop(incoming);
        serde_json::from_str(&std::fs::read_to_string(&path).unwrap()).unwrap()
    }

    #[tokio::test]
    async fn what_is_given_up_before_its_end_is_not_recorded_as_whole() {
        const SOME: &str = "data: {\"choices\":[{\"delta\":{\"content\":\"ollama\"}}]}\n\n";
        const ALL: &str = "data: {\"choices\":[{\"delta\":{\"content\":\"ollama\"},\"finish_reason\":\"stop\"}]}\n\n";
        let check = async |said: &'static str, pieces: usize, whole: bool| {
            let headers = vec![("date", "now")];
            let exchange = recorded(Stalls { status: 200, headers, said }, pieces).await;
            assert_eq!(exchange.broken.is_none(), whole, "{exchange:?}");
            let heard = if pieces == 0 { "" } else { said };
            assert_eq!(exchange.response, Body::Text(heard.to_owned()), "a word is no key");
            assert!(exchange.headers.is_empty());
        };
        check(SOME, 1, false).await;
        check(ALL, 1, true).await;
        check("data: [DONE]\n\n", 1, true).await;
        check("{\"choices\": [", 1, false).await;
        // Nobody even began to listen.
        check(ALL, 0, false).await;
        // Whoever hears an error listens no longer.
        check("data: {\"error\":{\"type\":\"server_error\"}}\n\n", 1, true).await;
    }

    #[tokio::test]
    async fn a_date_to_come_back_at_is_recorded_with_what_it_is_counted_from() {
        let date = ("date", "Sun, 06 Nov 1994 08:49:37 GMT");
        let headers = vec![("retry-after", "Sun, 06 Nov 1994 08:50:07 GMT"), ("server", "x"), date];
        let exchange = recorded(Stalls { status: 429, headers, said: "ollama" }, 1).await;
        let kept: Vec<&str> = exchange.headers.iter().map(|(name, _)| name.as_str()).collect();
        assert_eq!(kept, ["retry-after", "date"]);
        assert_eq!(exchange.response, Body::Text("***".to_owned()));
    }

    #[test]
    fn a_failure_to_record_is_told_once() {
        let tape = Tape::open(Path::new("/dev/full")).unwrap();
        let (request, response) = (Body::Text(String::new()), Body::Text(String::new()));
        let (model, path, headers) = (String::new(), String::new(), Vec::new());
        tape.write(&Exchange {
            model,
            path,
            request,
            status: 200,
            headers,
            response,
            broken: None,
        });
        assert!(tape.failure().is_some_and(|why| why.contains("could not record")));
        assert_eq!(tape.failure(), None);
    }
}
