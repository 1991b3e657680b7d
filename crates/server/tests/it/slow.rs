//! Clients that take their time.

use std::time::Duration;

use consign_server::{Options, Wire};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpStream,
};

use crate::{client::raw, world::World};

#[tokio::test]
async fn a_head_that_never_ends_is_given_up() {
    let wire = Wire { head_time: Duration::from_millis(100), ..Wire::default() };
    let world = World::with(Options::default(), wire).await;
    for begun in ["", "GET /healthz HT", "GET /healthz HTTP/1.1\r\nhost: localhost\r\n"] {
        let mut stream = TcpStream::connect(world.address).await.unwrap();
        stream.write_all(begun.as_bytes()).await.unwrap();
        let mut all = Vec::new();
        // The connection ends, which is what is waited for.
        let _ = stream.read_to_end(&mut all).await;
    }
    assert_eq!(world.get("/healthz").await.status, 200);
}

#[tokio::test]
async fn a_body_that_never_ends_is_given_up() {
    let options = Options { time_limit: Duration::from_millis(100), ..Options::default() };
    let world = World::with(options, Wire::default()).await;
    let token = world.token.reveal();
    let request = format!(
        "POST /api/v1/process HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer {token}\r\ncontent-type: application/json\r\ncontent-length: 1000\r\n\r\n{{"
    );
    raw(world.address, request.as_bytes()).await.is(504, "TIMEOUT");
}

#[tokio::test]
async fn whoever_does_not_read_is_given_up() {
    // There is room for one: the next is served when the first is gone.
    let wire =
        Wire { write_time: Duration::from_millis(100), max_connections: 1, ..Wire::default() };
    let world = World::with(Options::default(), wire).await;
    let token = world.token.reveal();
    let body = format!("\"{}\"", "x".repeat(15 << 20));
    let length = body.len();
    let request = format!(
        "POST /api/v1/process HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer {token}\r\ncontent-type: application/json\r\ncontent-length: {length}\r\n\r\n{body}"
    );
    let mut deaf = TcpStream::connect(world.address).await.unwrap();
    deaf.write_all(request.as_bytes()).await.unwrap();
    assert_eq!(world.get("/healthz").await.status, 200);
}
