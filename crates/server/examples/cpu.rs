//! How much CPU the server takes for one request that the processor answers at once.
//!
//! `cargo run --release -p consign-server --example cpu`. The server has a thread of its own, whose
//! clock of CPU time is read before and after; the clients' time is not in it, the kernel's is.

#![expect(clippy::print_stdout, reason = "it is what this is for")]

use std::{
    io::{Read, Write},
    net::{SocketAddr, TcpStream},
    sync::Arc,
    time::{Duration, Instant},
};

use async_trait::async_trait;
use bytes::Bytes;
use consign_app::Home;
use consign_basics::sample;
use consign_server::{
    Ask, Options, Parts, Processed, Processor, Refused, Server, SignIn, Token, serve,
};
use rustix::time::{ClockId, clock_gettime};
use tokio::sync::{mpsc, oneshot};

const REQUESTS: u32 = 20_000;
const BODY: &str = r#"{"envelope_id": "env_0123456789abcdef", "request_id": "req_0123456789abcdef", "user_id": "ann", "session_id": "s1", "raw_input": "Where is the router?"}"#;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let token = Token::random();
    let (found, address) = std::sync::mpsc::channel();
    let (ask, asked) = mpsc::unbounded_channel();
    let secret = token.clone();
    std::thread::spawn(move || run_server(secret, &found, asked));
    let address = address.recv()?;
    let head = format!(
        "POST /api/v1/process HTTP/1.1\r\nhost: {address}\r\nauthorization: Bearer {}\r\ncontent-type: application/json\r\ncontent-length: {}\r\n\r\n{BODY}",
        token.reveal(),
        BODY.len()
    );
    for clients in [1, 8] {
        clients_ask(address, &head, clients, REQUESTS / 10)?;
        let before = used(&ask)?;
        let began = Instant::now();
        clients_ask(address, &head, clients, REQUESTS)?;
        let (cpu, wall) = (used(&ask)?.saturating_sub(before), began.elapsed());
        let each = cpu.as_secs_f64() * 1e6 / f64::from(REQUESTS);
        let rate = f64::from(REQUESTS) / wall.as_secs_f64();
        println!("{clients} connection(s): {each:.1} µs of CPU per request, {rate:.0} requests/s");
    }
    Ok(())
}

type Reading = oneshot::Sender<Duration>;

fn used(ask: &mpsc::UnboundedSender<Reading>) -> Result<Duration, Box<dyn std::error::Error>> {
    let (told, answer) = oneshot::channel();
    ask.send(told)?;
    Ok(answer.blocking_recv()?)
}

fn clients_ask(address: SocketAddr, request: &str, clients: u32, most: u32) -> std::io::Result<()> {
    std::thread::scope(|scope| {
        let asking = |_| scope.spawn(|| client_asks(address, request, most / clients));
        let all: Vec<_> = (0..clients).map(asking).collect();
        all.into_iter().try_for_each(|client| client.join().expect("a client does not panic"))
    })
}

fn client_asks(address: SocketAddr, request: &str, times: u32) -> std::io::Result<()> {
    let mut stream = TcpStream::connect(address)?;
    stream.set_nodelay(true)?;
    let mut answer = [0; 4096];
    for _ in 0..times {
        stream.write_all(request.as_bytes())?;
        let mut read = 0;
        // The answer ends as its body does.
        while !answer[..read].ends_with(BODY.as_bytes()) {
            match stream.read(&mut answer[read..])? {
                0 => return Err(std::io::ErrorKind::UnexpectedEof.into()),
                more => read += more,
            }
        }
        assert!(answer.starts_with(b"HTTP/1.1 200"), "it was refused");
    }
    Ok(())
}

fn run_server(
    token: Token,
    found: &std::sync::mpsc::Sender<SocketAddr>,
    mut asked: mpsc::UnboundedReceiver<Reading>,
) {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    runtime.expect("a runtime can be made").block_on(async {
        let directory = tempfile::tempdir().expect("there is room");
        let folder = directory.path().to_owned();
        let jobs_dir = folder.join("jobs");
        let opened = Home::with(folder, |_, _, _, _| (sample::workflows(), sample::agents()));
        let home = opened.await.expect("the store can be made");
        let (processor, options) = (Arc::new(Echo), Options::default());
        let router = Server::new(Parts {
            home,
            jobs_dir,
            sign_in: SignIn::Token(token),
            processor,
            options,
        });
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.expect("a free port");
        let address = listener.local_addr().expect("it is bound");
        found.send(address).expect("somebody waits for it");
        let until_nobody_asks = async {
            while let Some(told) = asked.recv().await {
                let now = clock_gettime(ClockId::ThreadCPUTime);
                let now = Duration::try_from(now).expect("it counts from 0");
                told.send(now).expect("somebody waits for it");
            }
        };
        serve(listener, router, until_nobody_asks).await.expect("it serves");
    });
}

struct Echo;

#[async_trait]
impl Processor for Echo {
    async fn process(&self, body: Bytes, _ask: Ask) -> Result<Processed, Refused> {
        let body = String::from_utf8_lossy(&body).into_owned();
        Ok(Processed { body, run: None, complete: true })
    }
}
