//! `consign serve`, and requests to it.

use rustix::process::Signal;
use serde_json::Value;

use super::{
    Outcome, PATIENCE, Process,
    http::{self, Reply},
    text, until,
};

/// It dies with the test.
pub(crate) struct Server {
    pub(crate) process: Process,
    pub(crate) address: String,
    pub(crate) token: String,
}

impl Server {
    /// The server that a process becomes that was started with `serve --json`, once it listens. Its token
    /// is the one that it prints.
    #[track_caller]
    pub(crate) fn of(process: Process) -> Self {
        let told: Value = until(PATIENCE, "the server listens", || {
            let said = process.stdout();
            let (line, _) = said.split_once('\n')?;
            serde_json::from_str(line).ok()
        });
        let address = text(&told, "url").strip_prefix("http://").expect("it is HTTP").to_owned();
        let token = told["token"].as_str().unwrap_or_default().to_owned();
        Self { process, address, token }
    }

    /// The server that was given this token in its environment.
    #[track_caller]
    pub(crate) fn with_token(process: Process, token: &str) -> Self {
        Self { token: token.to_owned(), ..Self::of(process) }
    }

    pub(crate) fn head(&self, method: &str, path: &str) -> String {
        let (address, token) = (&self.address, &self.token);
        format!("{method} {path} HTTP/1.1\r\nhost: {address}\r\nauthorization: Bearer {token}\r\n")
    }

    pub(crate) fn get(&self, path: &str) -> Reply {
        http::send(&self.address, &self.head("GET", path), b"")
    }

    pub(crate) fn post(&self, path: &str, body: &Value) -> Reply {
        http::send(&self.address, &self.head_of_json(path), body.to_string().as_bytes())
    }

    /// The head of a `POST` of JSON.
    pub(crate) fn head_of_json(&self, path: &str) -> String {
        self.head("POST", path) + "content-type: application/json\r\n"
    }

    #[track_caller]
    pub(crate) fn stop(self) -> Outcome {
        self.process.signal(Signal::TERM);
        self.process.wait()
    }
}
