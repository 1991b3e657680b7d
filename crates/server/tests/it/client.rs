//! Asks a server, and holds every error it gives to the published contract.

use std::net::SocketAddr;

use consign_contracts::{Contract, json};
use http_body_util::{BodyExt, Full};
use hyper::{
    HeaderMap, Request, Response,
    body::{Bytes, Incoming},
    client::conn::http1,
};
use hyper_util::rt::TokioIo;
use serde_json::Value;
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpStream,
};

#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) headers: HeaderMap,
    pub(crate) text: String,
}

impl Answer {
    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.text).unwrap_or_else(|why| panic!("{why}: {}", self.text))
    }

    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name).map(|value| value.to_str().unwrap())
    }

    pub(crate) fn code(&self) -> String {
        self.json()["error"]["code"].as_str().unwrap().to_owned()
    }

    #[track_caller]
    pub(crate) fn is(&self, status: u16, code: &str) -> &Self {
        assert_eq!((self.status, self.code().as_str()), (status, code), "{}", self.text);
        self
    }

    /// Whatever is answered must be so.
    fn hold(self) -> Self {
        let id = self.header("x-request-id").expect("every answer names its request").to_owned();
        assert_eq!(self.header("request-id"), Some(&*id));
        assert_eq!(self.header("x-content-type-options"), Some("nosniff"));
        assert_eq!(self.header("cache-control"), Some("no-store"));
        assert!(!self.headers.keys().any(|name| name.as_str().starts_with("access-control")));
        if self.status >= 400 && !self.text.is_empty() {
            let tree = json::parse(self.text.as_bytes()).unwrap();
            let verdict = Contract::find("authoring/error").unwrap().schema().check(&tree);
            assert!(verdict.is_valid(), "{:?}: {}", verdict.breaches, self.text);
            assert_eq!(self.json()["requestId"], id);
            assert_eq!(self.header("content-type"), Some("application/json"));
            let is_invalid = self.code() == "VALIDATION_ERROR";
            assert!(self.status == 400 || !is_invalid, "{}", self.text);
            if is_invalid {
                self.names_its_breaches();
            }
        }
        self
    }

    /// What a client may rely on in every `VALIDATION_ERROR`.
    fn names_its_breaches(&self) {
        let breaches = self.json()["error"]["details"]["breaches"].clone();
        let breaches = breaches.as_array().unwrap_or_else(|| panic!("no breaches: {}", self.text));
        assert!(!breaches.is_empty(), "{}", self.text);
        for breach in breaches {
            for name in ["pointer", "keyword", "message"] {
                assert!(breach[name].is_string(), "{name}: {}", self.text);
            }
        }
    }
}

async fn send(address: SocketAddr, request: Request<Full<Bytes>>) -> Response<Incoming> {
    let stream = TcpStream::connect(address).await.unwrap();
    let (mut sender, connection) = http1::handshake(TokioIo::new(stream)).await.unwrap();
    tokio::spawn(connection);
    sender.send_request(request).await.unwrap()
}

pub(crate) async fn ask(address: SocketAddr, request: Request<Full<Bytes>>) -> Answer {
    let head = request.method() == "HEAD";
    let (parts, body) = send(address, request).await.into_parts();
    let bytes = body.collect().await.unwrap().to_bytes();
    let text = String::from_utf8(bytes.to_vec()).unwrap();
    let answer = Answer { status: parts.status.as_u16(), headers: parts.headers, text }.hold();
    assert!(head || answer.status < 400 || !answer.text.is_empty());
    answer
}

/// Sends bytes as they are and reads what comes until the other side ends.
pub(crate) async fn raw(address: SocketAddr, bytes: &[u8]) -> Answer {
    let mut stream = TcpStream::connect(address).await.unwrap();
    // Whoever refuses may have stopped reading.
    let _ = stream.write_all(bytes).await;
    read(&mut stream).await.hold()
}

pub(crate) async fn read(stream: &mut TcpStream) -> Answer {
    let mut all = Vec::new();
    stream.read_to_end(&mut all).await.unwrap();
    parse(&all)
}

/// An answer, as bytes.
pub(crate) fn parse(bytes: &[u8]) -> Answer {
    let text = String::from_utf8(bytes.to_vec()).unwrap();
    let (head, body) = text.split_once("\r\n\r\n").unwrap_or((&text, ""));
    let mut lines = head.lines();
    let status = lines.next().unwrap().split(' ').nth(1).unwrap().parse().unwrap();
    let mut headers = HeaderMap::new();
    for line in lines {
        let (name, value) = line.split_once(": ").unwrap();
        let name: hyper::header::HeaderName = name.parse().unwrap();
        headers.append(name, value.parse().unwrap());
    }
    Answer { status, headers, text: body.to_owned() }
}

/// A stream of events, frame by frame.
pub(crate) struct Events {
    pub(crate) status: u16,
    body: Incoming,
    read: String,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Frame {
    pub(crate) id: Option<u64>,
    pub(crate) name: Option<String>,
    pub(crate) data: Value,
    pub(crate) comment: bool,
}

impl Events {
    pub(crate) async fn of(address: SocketAddr, request: Request<Full<Bytes>>) -> Self {
        let (parts, body) = send(address, request).await.into_parts();
        if parts.status == 200 {
            assert_eq!(parts.headers["content-type"], "text/event-stream");
        }
        Self { status: parts.status.as_u16(), body, read: String::new() }
    }

    /// The next frame, comments included; `None` at the end.
    pub(crate) async fn any(&mut self) -> Option<Frame> {
        loop {
            if let Some((frame, rest)) = self.read.split_once("\n\n") {
                let frame = frame_of(frame);
                self.read = rest.to_owned();
                return Some(frame);
            }
            let chunk = self.body.frame().await?.unwrap().into_data().unwrap();
            self.read += std::str::from_utf8(&chunk).unwrap();
        }
    }

    pub(crate) async fn next(&mut self) -> Option<Frame> {
        loop {
            let frame = self.any().await?;
            if !frame.comment {
                return Some(frame);
            }
        }
    }

    pub(crate) async fn rest(mut self) -> Vec<Frame> {
        let mut frames = Vec::new();
        while let Some(frame) = self.next().await {
            frames.push(frame);
        }
        frames
    }
}

fn frame_of(text: &str) -> Frame {
    let mut frame = Frame::default();
    for line in text.lines() {
        match line.split_once(':').unwrap() {
            ("", _) => frame.comment = true,
            ("id", id) => frame.id = Some(id.trim().parse().unwrap()),
            ("event", name) => frame.name = Some(name.trim().to_owned()),
            ("data", data) => frame.data = serde_json::from_str(data).unwrap(),
            other => panic!("{other:?}"),
        }
    }
    frame
}
