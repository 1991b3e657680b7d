//! Requests to a server on this machine, byte by byte: what a test sends is what is sent.

use std::{
    io::{self, BufRead, BufReader, Read, Write},
    net::TcpStream,
    time::Duration,
};

use serde_json::Value;

/// No answer of ours takes this long, whatever else the machine does.
const PATIENCE: Duration = Duration::from_secs(90);

#[derive(Debug)]
pub(crate) struct Reply {
    pub(crate) status: u16,
    head: String,
    pub(crate) body: String,
}

impl Reply {
    /// `None` where there is no whole head.
    fn of(bytes: &[u8]) -> Option<Self> {
        let text = String::from_utf8_lossy(bytes).into_owned();
        let (head, body) = text.split_once("\r\n\r\n")?;
        let status = head.split(' ').nth(1)?.parse().ok()?;
        Some(Self { status, head: head.to_owned(), body: body.to_owned() })
    }

    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.head.lines().skip(1).find_map(|line| {
            let (known, value) = line.split_once(':')?;
            known.eq_ignore_ascii_case(name).then(|| value.trim())
        })
    }

    #[track_caller]
    pub(crate) fn is(self, status: u16) -> Self {
        assert_eq!(self.status, status, "{self:#?}");
        self
    }

    #[track_caller]
    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap_or_else(|_| panic!("no JSON: {self:#?}"))
    }

    /// Demands this status with this code in the standard error object.
    #[track_caller]
    pub(crate) fn refuses(self, status: u16, code: &str) -> Self {
        let this = self.is(status);
        assert_eq!(this.json()["error"]["code"], code, "{this:#?}");
        this
    }
}

/// Sends a whole request, and reads the answer to its end.
pub(crate) fn send(address: &str, head: &str, body: &[u8]) -> Reply {
    let mut stream = open(address, head, body);
    let mut bytes = Vec::new();
    // A server that refuses a body may close before all of it was sent.
    let _ = stream.read_to_end(&mut bytes);
    Reply::of(&bytes).unwrap_or_else(|| panic!("no answer: {:?}", String::from_utf8_lossy(&bytes)))
}

/// Sends a whole request to a server that may die meanwhile. `None` where there was no whole exchange.
pub(crate) fn try_send(address: &str, head: &str, body: &[u8]) -> Option<Reply> {
    let mut stream = connect(address).ok()?;
    stream.write_all(head_of(head, body).as_bytes()).ok()?;
    stream.write_all(body).ok()?;
    let mut bytes = Vec::new();
    stream.read_to_end(&mut bytes).ok()?;
    Reply::of(&bytes)
}

/// Sends a request and leaves the answer to be read.
pub(crate) fn open(address: &str, head: &str, body: &[u8]) -> TcpStream {
    let mut stream = connect(address).expect("it listens");
    stream.write_all(head_of(head, body).as_bytes()).expect("it listens");
    // It may have been refused by its head alone.
    let _ = stream.write_all(body);
    stream
}

fn connect(address: &str) -> io::Result<TcpStream> {
    let stream = TcpStream::connect(address)?;
    stream.set_read_timeout(Some(PATIENCE))?;
    stream.set_write_timeout(Some(PATIENCE))?;
    Ok(stream)
}

/// The head with what every request has.
fn head_of(head: &str, body: &[u8]) -> String {
    let length =
        if body.is_empty() { String::new() } else { format!("content-length: {}\r\n", body.len()) };
    format!("{head}connection: close\r\n{length}\r\n")
}

/// Events of a stream, one by one.
pub(crate) struct Events(BufReader<TcpStream>);

impl Events {
    pub(crate) fn of(stream: TcpStream) -> Self {
        Self(BufReader::new(stream))
    }

    /// The next entry of the journal; none when the stream has ended.
    pub(crate) fn next(&mut self) -> Option<Value> {
        let mut line = String::new();
        loop {
            line.clear();
            match self.0.read_line(&mut line) {
                Ok(0) | Err(_) => return None,
                Ok(_) => {}
            }
            let data = line.strip_prefix("data:").map(str::trim);
            let entry = data.and_then(|data| serde_json::from_str::<Value>(data).ok());
            if let Some(entry) = entry.filter(|entry| entry.get("seq").is_some()) {
                return Some(entry);
            }
        }
    }
}
