//! A double on a free port, and a client that shows every byte.

use std::{net::SocketAddr, sync::Arc};

use consign_double::Double;
use serde_json::{Value, json};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::{TcpListener, TcpStream},
    sync::oneshot,
    task::JoinHandle,
};

pub(crate) struct Stand {
    pub(crate) double: Arc<Double>,
    pub(crate) address: SocketAddr,
    stop: oneshot::Sender<()>,
    served: JoinHandle<std::io::Result<()>>,
}

impl Stand {
    pub(crate) async fn new(script: Value) -> Self {
        let double = Double::new(script.to_string().parse().unwrap());
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let (stop, stopped) = oneshot::channel();
        let until = async {
            let _ = stopped.await;
        };
        let served = tokio::spawn(Arc::clone(&double).serve(listener, until));
        Self { double, address, stop, served }
    }

    pub(crate) async fn unscripted() -> Self {
        Self::new(json!([])).await
    }

    /// Ends the double, and fails if it does not end well.
    pub(crate) async fn end(self) {
        self.stop.send(()).unwrap();
        self.served.await.unwrap().unwrap();
    }

    pub(crate) fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.address)
    }

    pub(crate) async fn connect(&self, request: &str) -> TcpStream {
        let mut stream = TcpStream::connect(self.address).await.unwrap();
        stream.write_all(request.as_bytes()).await.unwrap();
        stream
    }

    /// Everything that comes until the connection ends.
    pub(crate) async fn raw(&self, request: &str) -> Raw {
        let mut stream = self.connect(request).await;
        let mut bytes = Vec::new();
        let mut piece = vec![0; 1 << 16];
        // However it ends, what came counts.
        while let Ok(count @ 1..) = stream.read(&mut piece).await {
            bytes.extend_from_slice(&piece[..count]);
        }
        Raw::read(&bytes)
    }

    pub(crate) async fn post(&self, path: &str, body: &Value) -> Raw {
        self.raw(&post(path, body)).await
    }
}

/// A response as it was on the wire.
#[derive(Debug)]
pub(crate) struct Raw {
    pub(crate) status: u16,
    pub(crate) head: String,
    /// Without the lines that chunked bodies are wrapped in.
    pub(crate) body: String,
    /// The body had its proper end.
    pub(crate) whole: bool,
}

impl Raw {
    fn read(bytes: &[u8]) -> Self {
        let text = String::from_utf8_lossy(bytes).into_owned();
        let (head, wire) = text.split_once("\r\n\r\n").unwrap_or((&text, ""));
        let status = head.split(' ').nth(1).and_then(|word| word.parse().ok()).unwrap_or(0);
        let head = head.to_ascii_lowercase();
        let (body, whole) = if head.contains("transfer-encoding: chunked") {
            unwrap(wire)
        } else {
            let length = header(&head, "content-length").and_then(|length| length.parse().ok());
            (wire.to_owned(), length == Some(wire.len()))
        };
        Self { status, head, body, whole }
    }

    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        header(&self.head, name)
    }

    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap_or_else(|error| panic!("{error}: {self:?}"))
    }

    /// The data of its events.
    pub(crate) fn events(&self) -> Vec<&str> {
        self.body.lines().filter_map(|line| line.strip_prefix("data: ")).collect()
    }
}

fn header<'a>(head: &'a str, name: &str) -> Option<&'a str> {
    head.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(": "))
}

fn unwrap(mut wire: &str) -> (String, bool) {
    let mut body = String::new();
    while let Some((size, rest)) = wire.split_once("\r\n") {
        let size = usize::from_str_radix(size, 16).unwrap();
        if size == 0 {
            return (body, true);
        }
        let Some(piece) = rest.get(..size) else {
            body.push_str(rest);
            break;
        };
        body.push_str(piece);
        wire = rest.get(size + 2..).unwrap_or_default();
    }
    (body, false)
}

pub(crate) fn post(path: &str, body: &Value) -> String {
    let body = body.to_string();
    format!(
        "POST {path} HTTP/1.1\r\nhost: double\r\nconnection: close\r\nauthorization: Bearer test-key\r\n\
         anthropic-version: 2023-06-01\r\ncontent-type: application/json\r\ncontent-length: {}\r\n\r\n{body}",
        body.len()
    )
}

/// One way to ask, for each dialect.
pub(crate) const DIALECTS: [&str; 3] = ["openai", "anthropic", "google"];

/// A plain question in a dialect: where it goes, and what is sent.
pub(crate) fn question(dialect: &str, text: &str, stream: bool) -> (&'static str, Value) {
    let messages = json!([{ "role": "user", "content": text }]);
    match (dialect, stream) {
        ("openai", _) => (
            "/openai/v1/chat/completions",
            json!({ "model": "gpt-5-mini", "messages": messages, "stream": stream }),
        ),
        ("anthropic", _) => (
            "/anthropic/v1/messages",
            json!({ "model": "claude-sonnet-4-5", "max_tokens": 100, "messages": messages, "stream": stream }),
        ),
        (_, stream) => {
            let path = if stream {
                "/google/v1beta/models/gemini-2.5-flash:streamGenerateContent?alt=sse"
            } else {
                "/google/v1beta/models/gemini-2.5-flash:generateContent"
            };
            (path, json!({ "contents": [{ "role": "user", "parts": [{ "text": text }] }] }))
        }
    }
}
