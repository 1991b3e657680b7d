//! GitHub on loopback: real git repositories behind its REST interface, a log of every call, and faults on
//! demand.
//!
//! What a call does is done before its answer is lost, so that a test sees what a caller makes of that.

mod answers;
mod contents;
mod routes;

use std::{
    path::PathBuf,
    sync::{Arc, Mutex},
    time::Duration,
};

use axum::{
    body::Body,
    extract::{Request, State},
    response::Response,
};
use reqwest::Url;
use sha2::{Digest, Sha256};
use tempfile::TempDir;
use tokio::{net::TcpListener, task::JoinHandle};

use crate::sample;

pub(crate) const TOKEN: &str = "ghp_of_the_test_0123456789";

/// What goes wrong with a call.
#[derive(Clone, Debug)]
pub(crate) enum Fault {
    /// The call is done, and its answer is lost.
    LoseAnswer,
    /// The call is not done.
    Status(u16, &'static str),
    /// The call is not done: the hour's calls are spent.
    RateLimit,
    /// The call is done, and its answer comes late.
    Slow(Duration),
    /// The call is not done, but sent elsewhere.
    Redirect(String),
}

#[derive(Clone, Debug)]
pub(crate) struct Call {
    pub(crate) method: String,
    pub(crate) path: String,
    pub(crate) status: u16,
}

pub(crate) struct Double {
    pub(crate) url: String,
    inner: Arc<Inner>,
    task: JoinHandle<()>,
}

struct Inner {
    folder: TempDir,
    state: Mutex<Inside>,
}

#[derive(Default)]
struct Inside {
    calls: Vec<Call>,
    faults: Vec<(usize, Fault)>,
    pulls: Vec<Pull>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Pull {
    pub(crate) repo: String,
    pub(crate) number: u64,
    pub(crate) head: String,
    pub(crate) base: String,
    pub(crate) title: String,
    pub(crate) body: String,
    pub(crate) is_open: bool,
}

/// A request, read in full.
struct Asked {
    method: String,
    segments: Vec<String>,
    query: Vec<(String, String)>,
    body: serde_json::Value,
    wants_raw: bool,
}

impl Asked {
    fn query(&self, name: &str) -> Option<&str> {
        self.query.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }
}

/// The answer to a request.
enum Answer {
    Json(u16, serde_json::Value),
    Raw(Vec<u8>),
}

impl Double {
    pub(crate) async fn start() -> Self {
        let inner = Arc::new(Inner { folder: TempDir::new().unwrap(), state: Mutex::default() });
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let router = axum::Router::new().fallback(serve).with_state(inner.clone());
        let task = tokio::spawn(async move { axum::serve(listener, router).await.unwrap() });
        Self { url, inner, task }
    }

    /// Adds a repository with the sample in it.
    pub(crate) fn add(&self, name: &str) -> PathBuf {
        let git = self.add_empty(name);
        sample::fill(&git2::Repository::open(&git).unwrap());
        git
    }

    pub(crate) fn add_empty(&self, name: &str) -> PathBuf {
        let path = self.inner.path(name);
        let mut options = git2::RepositoryInitOptions::new();
        options.bare(true).initial_head("main").external_template(false);
        git2::Repository::init_opts(&path, &options).unwrap();
        path
    }

    pub(crate) fn pulls(&self, name: &str) -> Vec<Pull> {
        let state = self.inner.state.lock().unwrap();
        state.pulls.iter().filter(|pull| pull.repo == name).cloned().collect()
    }

    pub(crate) fn close_pulls(&self) {
        self.inner.state.lock().unwrap().pulls.iter_mut().for_each(|pull| pull.is_open = false);
    }

    pub(crate) fn calls(&self) -> Vec<Call> {
        self.inner.state.lock().unwrap().calls.clone()
    }

    /// The calls that would change something.
    pub(crate) fn writes(&self) -> Vec<Call> {
        let mut calls = self.calls();
        calls.retain(|call| call.method != "GET");
        calls
    }

    /// The nth call from now, from 1, goes wrong.
    pub(crate) fn fault(&self, nth: usize, fault: Fault) {
        let mut state = self.inner.state.lock().unwrap();
        let at = state.calls.len() + nth;
        state.faults.push((at, fault));
    }
}

impl Drop for Double {
    fn drop(&mut self) {
        self.task.abort();
    }
}

impl Inner {
    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name.to_lowercase().replace('/', "~"))
    }

    fn git(&self, name: &str) -> Option<git2::Repository> {
        git2::Repository::open(self.path(name)).ok()
    }
}

async fn serve(State(inner): State<Arc<Inner>>, request: Request) -> Response {
    let (parts, body) = request.into_parts();
    let body = axum::body::to_bytes(body, 64 << 20).await.unwrap();
    let url = Url::parse(&format!("http://double{}", parts.uri)).unwrap();
    let header = |name: &str| Some(parts.headers.get(name)?.to_str().ok()?.to_owned());
    let decoded = |it: &str| {
        percent_encoding::percent_decode_str(it).decode_utf8().expect("a path is text").into_owned()
    };
    let asked = Asked {
        method: parts.method.to_string(),
        segments: url.path_segments().unwrap().map(decoded).filter(|it| !it.is_empty()).collect(),
        query: url.query_pairs().into_owned().collect(),
        body: serde_json::from_slice(&body).unwrap_or_default(),
        wants_raw: header("accept").is_some_and(|it| it.contains(".raw")),
    };
    let (number, fault) = {
        let mut state = inner.state.lock().unwrap();
        let call = Call { method: asked.method.clone(), path: url.path().to_owned(), status: 0 };
        state.calls.push(call);
        let number = state.calls.len();
        (number, state.faults.iter().find(|(at, _)| *at == number).map(|(_, fault)| fault.clone()))
    };
    let may = header("authorization") == Some(format!("Bearer {TOKEN}"));
    let answer = match &fault {
        Some(Fault::Status(status, message)) => answers::refused(*status, message),
        Some(Fault::RateLimit) => answers::refused(403, "API rate limit exceeded for user 1."),
        Some(Fault::Redirect(_)) => answers::refused(301, "Moved Permanently"),
        _ if !may => answers::refused(401, "Bad credentials"),
        _ => routes::answer(&inner, &asked),
    };
    let (status, kind, body) = match answer {
        Answer::Json(status, value) => (status, "application/json", value.to_string().into_bytes()),
        Answer::Raw(bytes) => (200, "application/octet-stream", bytes),
    };
    let tag = format!("W/\"{}\"", hex(&Sha256::digest(&body)[..8]));
    let is_known = asked.method == "GET" && header("if-none-match") == Some(tag.clone());
    let status = if is_known && status == 200 { 304 } else { status };
    inner.state.lock().unwrap().calls[number - 1].status = status;
    let mut response = Response::builder().status(status).header("content-type", kind);
    match fault {
        Some(Fault::LoseAnswer) => {
            let lost = async { Err::<Vec<u8>, _>(std::io::Error::other("lost")) };
            let lost = Body::from_stream(futures_util::stream::once(lost));
            return response.header("content-length", body.len().max(1)).body(lost).unwrap();
        }
        Some(Fault::Slow(late)) => tokio::time::sleep(late).await,
        Some(Fault::Redirect(to)) => response = response.header("location", to),
        Some(Fault::RateLimit) => {
            response = response.header("x-ratelimit-remaining", "0");
            response = response.header("x-ratelimit-reset", "1");
        }
        Some(Fault::Status(..)) | None => {}
    }
    let body = if status == 304 { Vec::new() } else { body };
    response.header("etag", tag).body(Body::from(body)).unwrap()
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}
