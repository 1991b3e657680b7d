//! HTTP as cheap as it can be: requests are bytes that were made before, and of an answer only its status and its
//! length are looked at.

use std::{
    error::Error,
    io::{Read, Write},
    net::TcpStream,
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicU32, Ordering},
    },
    thread::{self, JoinHandle},
    time::{Duration, Instant},
};

use serde_json::Value;
use tokio::io::{AsyncReadExt, AsyncWriteExt};

/// A request as it is sent.
#[derive(Clone)]
pub(super) struct Request(Arc<str>);

impl Request {
    pub(super) fn get(address: &str, token: &str, path: &str) -> Self {
        Self(
            format!(
                "GET {path} HTTP/1.1\r\nHost: {address}\r\nAuthorization: Bearer {token}\r\n\r\n"
            )
            .into(),
        )
    }

    pub(super) fn post(address: &str, token: &str, path: &str, body: &Value) -> Self {
        Self::with(address, path, &format!("Authorization: Bearer {token}\r\n"), body)
    }

    /// A POST with these lines in its head.
    pub(super) fn with(address: &str, path: &str, lines: &str, body: &Value) -> Self {
        let body = body.to_string();
        Self(
            format!(
                "POST {path} HTTP/1.1\r\nHost: {address}\r\n{lines}Content-Type: application/json\r\n\
                 Content-Length: {}\r\n\r\n{body}",
                body.len()
            )
            .into(),
        )
    }
}

/// Takes answers apart as they come.
#[derive(Default)]
struct Answers {
    bytes: Vec<u8>,
}

struct Answer {
    status: u16,
    body: Vec<u8>,
}

impl Answers {
    /// The next whole answer, if all of it is there.
    fn next(&mut self) -> Result<Option<Answer>, Box<dyn Error + Send + Sync>> {
        let Some(end) = self.bytes.windows(4).position(|four| four == b"\r\n\r\n") else {
            return Ok(None);
        };
        let head = std::str::from_utf8(&self.bytes[..end])?;
        let status = head.split(' ').nth(1).ok_or("no status")?.parse()?;
        let length = head.lines().find_map(|line| {
            let (name, value) = line.split_once(':')?;
            name.eq_ignore_ascii_case("content-length").then(|| value.trim().parse::<usize>())
        });
        let (from, length) = (end + 4, length.ok_or("no length")??);
        if self.bytes.len() < from + length {
            return Ok(None);
        }
        let body = self.bytes[from..from + length].to_vec();
        self.bytes.drain(..from + length);
        Ok(Some(Answer { status, body }))
    }
}

/// One connection, one request at a time.
pub(super) struct Client {
    stream: TcpStream,
    answers: Answers,
}

impl Client {
    pub(super) fn connect(address: &str) -> Result<Self, Box<dyn Error>> {
        let stream = TcpStream::connect(address)?;
        stream.set_nodelay(true)?;
        stream.set_read_timeout(Some(Duration::from_secs(60)))?;
        Ok(Self { stream, answers: Answers::default() })
    }

    /// Sends a request that must be answered so, and gives the answer.
    pub(super) fn send(&mut self, request: &Request, status: u16) -> Result<Value, Box<dyn Error>> {
        let answer = self.exchange(request)?;
        let text = String::from_utf8_lossy(&answer.body);
        if answer.status != status {
            return Err(format!("{} instead of {status}: {text}", answer.status).into());
        }
        Ok(serde_json::from_str(&text).unwrap_or(Value::Null))
    }

    fn exchange(&mut self, request: &Request) -> Result<Answer, Box<dyn Error>> {
        self.stream.write_all(request.0.as_bytes())?;
        let mut some = [0; 16 << 10];
        loop {
            let read = self.stream.read(&mut some)?;
            if read == 0 {
                return Err("the server closed the connection".into());
            }
            self.answers.bytes.extend_from_slice(&some[..read]);
            if let Some(answer) = self.answers.next().map_err(|why| why.to_string())? {
                return Ok(answer);
            }
        }
    }

    /// The milliseconds of each of so many requests, which must be answered so.
    pub(super) fn timed(
        &mut self,
        request: &Request,
        status: u16,
        times: u32,
    ) -> Result<Vec<f64>, Box<dyn Error>> {
        self.timed_with_pauses(request, status, times, Duration::ZERO)
    }

    /// The milliseconds of each of so many requests with a pause before each. They must be answered so.
    pub(super) fn timed_with_pauses(
        &mut self,
        request: &Request,
        status: u16,
        times: u32,
        pause: Duration,
    ) -> Result<Vec<f64>, Box<dyn Error>> {
        let mut each = Vec::new();
        for _ in 0..times {
            if !pause.is_zero() {
                thread::sleep(pause);
            }
            let begun = Instant::now();
            let answer = self.exchange(request)?;
            each.push(begun.elapsed().as_secs_f64() * 1e3);
            if answer.status != status {
                return Err(format!("{} instead of {status}", answer.status).into());
            }
        }
        Ok(each)
    }
}

/// How many were answered as they should be, and how many otherwise.
#[derive(Clone, Copy, Default)]
pub(super) struct Count {
    pub(super) done: u32,
    pub(super) refused: u32,
}

/// What clients send: the request of a turn.
pub(super) type Next = Arc<dyn Fn(u32) -> Request + Send + Sync>;

/// Many clients at once, each with a connection of its own and no pause, until so many requests were made in all.
pub(super) fn many(
    address: &str,
    clients: u32,
    status: u16,
    requests: u32,
    next: Next,
) -> Result<Count, Box<dyn Error>> {
    let turn = Arc::new(AtomicU32::new(0));
    let may_go_on = move || {
        let turn = turn.fetch_add(1, Ordering::Relaxed);
        (turn < requests).then_some(turn)
    };
    all(address, clients, status, Arc::new(may_go_on), next).map_err(|why| why.to_string().into())
}

/// Clients without a pause on a thread of their own, until they are stopped.
pub(super) struct Flood {
    stop: Arc<AtomicBool>,
    thread: JoinHandle<Result<Count, Box<dyn Error + Send + Sync>>>,
    begun: Instant,
}

impl Flood {
    /// After that all connections are there and under load.
    pub(super) const READY: Duration = Duration::from_millis(300);

    pub(super) fn begin(address: &str, clients: u32, status: u16, next: Next) -> Self {
        let stop = Arc::new(AtomicBool::new(false));
        let (stopped, address) = (stop.clone(), address.to_owned());
        let turn = AtomicU32::new(0);
        let may_go_on = move || {
            (!stopped.load(Ordering::Relaxed)).then(|| turn.fetch_add(1, Ordering::Relaxed))
        };
        let thread =
            thread::spawn(move || all(&address, clients, status, Arc::new(may_go_on), next));
        thread::sleep(Self::READY);
        Self { stop, thread, begun: Instant::now() }
    }

    /// Stops them. Gives their answers for each second, and how many were refused.
    pub(super) fn end(self) -> Result<(f64, u32), Box<dyn Error>> {
        self.stop.store(true, Ordering::Relaxed);
        let seconds = (self.begun.elapsed() + Self::READY).as_secs_f64();
        let count = self.thread.join().map_err(|_| "the load broke down")?;
        let count = count.map_err(|why| why.to_string())?;
        Ok((f64::from(count.done) / seconds, count.refused))
    }
}

type Turns = Arc<dyn Fn() -> Option<u32> + Send + Sync>;

fn all(
    address: &str,
    clients: u32,
    status: u16,
    turns: Turns,
    next: Next,
) -> Result<Count, Box<dyn Error + Send + Sync>> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(async {
        let mut tasks = tokio::task::JoinSet::new();
        for _ in 0..clients {
            tasks.spawn(one(address.to_owned(), status, turns.clone(), next.clone()));
        }
        let mut all = Count::default();
        while let Some(count) = tasks.join_next().await {
            let count = count??;
            all = Count { done: all.done + count.done, refused: all.refused + count.refused };
        }
        Ok(all)
    })
}

async fn one(
    address: String,
    status: u16,
    turns: Turns,
    next: Next,
) -> Result<Count, Box<dyn Error + Send + Sync>> {
    let mut stream = tokio::net::TcpStream::connect(&address).await?;
    stream.set_nodelay(true)?;
    let (mut answers, mut some) = (Answers::default(), vec![0; 16 << 10]);
    let mut count = Count::default();
    while let Some(turn) = turns() {
        stream.write_all(next(turn).0.as_bytes()).await?;
        let answer = loop {
            if let Some(answer) = answers.next()? {
                break answer;
            }
            let read = stream.read(&mut some).await?;
            if read == 0 {
                return Err("the server closed the connection".into());
            }
            answers.bytes.extend_from_slice(&some[..read]);
        };
        match answer.status == status {
            true => count.done += 1,
            false => count.refused += 1,
        }
    }
    Ok(count)
}
