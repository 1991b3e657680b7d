//! Requests that nobody sends by mistake, byte by byte.

use consign_server::{Options, Wire};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpStream,
};

use crate::{
    client::{parse, raw, read},
    world::World,
};

fn head(world: &World, line: &str, more: &str) -> String {
    let token = world.token.reveal();
    format!(
        "{line} HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer {token}\r\nconnection: close\r\n{more}\r\n"
    )
}

#[tokio::test]
async fn a_large_head_is_refused() {
    let world = World::new().await;
    let large = format!("x-large: {}\r\n", "x".repeat(20_000));
    raw(world.address, head(&world, "GET /healthz", &large).as_bytes())
        .await
        .is(431, "HEADERS_TOO_LARGE");
    let target = format!("GET /api/runs?{}", "x".repeat(20_000));
    raw(world.address, head(&world, &target, "").as_bytes()).await.is(431, "HEADERS_TOO_LARGE");
    // What is far beyond that, nobody reads to its end.
    for more in [format!("x-huge: {}\r\n", "x".repeat(1 << 20)), "x-many: 1\r\n".repeat(5_000)] {
        let mut stream = TcpStream::connect(world.address).await.unwrap();
        let _ = stream.write_all(head(&world, "GET /healthz", &more).as_bytes()).await;
        assert_eq!(read(&mut stream).await.status, 431);
    }
}

#[tokio::test]
async fn a_body_that_says_it_is_too_large_is_refused_before_it_is_sent() {
    let world = World::new().await;
    let more = "content-type: application/json\r\ncontent-length: 99999999999\r\n";
    let mut stream = TcpStream::connect(world.address).await.unwrap();
    stream.write_all(head(&world, "POST /api/v1/process", more).as_bytes()).await.unwrap();
    // Nothing of it is sent, and the answer is there.
    read(&mut stream).await.is(413, "BODY_TOO_LARGE");
    let mut stream = TcpStream::connect(world.address).await.unwrap();
    let more = format!("{more}expect: 100-continue\r\n");
    stream.write_all(head(&world, "POST /api/v1/process", &more).as_bytes()).await.unwrap();
    read(&mut stream).await.is(413, "BODY_TOO_LARGE");
    assert!(world.processor.asked.lock().unwrap().is_empty());
}

#[tokio::test]
async fn a_body_that_turns_out_too_large_is_refused_on_the_way() {
    let options = Options { max_body_bytes: 100_000, ..Options::default() };
    let world = World::with(options, Wire::default()).await;
    let more = "content-type: application/json\r\ntransfer-encoding: chunked\r\n";
    let stream = TcpStream::connect(world.address).await.unwrap();
    let (mut from, mut to) = stream.into_split();
    to.write_all(head(&world, "POST /api/v1/process", more).as_bytes()).await.unwrap();
    // It has no end: only being refused ends it.
    let sending = async {
        let chunk = format!("2710\r\n{}\r\n", "x".repeat(10_000));
        while to.write_all(chunk.as_bytes()).await.is_ok() {}
    };
    let reading = async {
        let mut answer = Vec::new();
        from.read_to_end(&mut answer).await.unwrap();
        parse(&answer)
    };
    tokio::select! {
        answer = reading => { answer.is(413, "BODY_TOO_LARGE"); }
        () = sending => unreachable!("the answer comes first"),
    }
    let most = format!("\"{}\"", "x".repeat(99_998));
    assert_eq!(world.post_text("/api/v1/process", most).await.status, 200);
    let more = format!("\"{}\"", "x".repeat(99_999));
    world.post_text("/api/v1/process", more).await.is(413, "BODY_TOO_LARGE");
}

#[tokio::test]
async fn a_body_that_ends_too_early_is_refused() {
    let world = World::new().await;
    let more = "content-type: application/json\r\ncontent-length: 10\r\n";
    let mut stream = TcpStream::connect(world.address).await.unwrap();
    let request = format!("{}{{", head(&world, "POST /api/v1/process", more));
    stream.write_all(request.as_bytes()).await.unwrap();
    stream.shutdown().await.unwrap();
    let mut all = Vec::new();
    stream.read_to_end(&mut all).await.unwrap();
    assert!(all.is_empty() || parse(&all).status == 400);
    assert!(world.processor.asked.lock().unwrap().is_empty());
}

#[tokio::test]
async fn a_request_has_one_host() {
    let world = World::new().await;
    let token = world.token.reveal();
    let ask = async |hosts: &str, target: &str| {
        let request = format!(
            "GET {target} HTTP/1.1\r\n{hosts}authorization: Bearer {token}\r\nconnection: close\r\n\r\n"
        );
        raw(world.address, request.as_bytes()).await
    };
    ask("", "/api/runs").await.is(400, "VALIDATION_ERROR");
    ask("host: localhost\r\nhost: evil.example\r\n", "/api/runs").await.is(400, "VALIDATION_ERROR");
    ask("host: localhost\r\nhost: localhost\r\n", "/api/runs").await.is(400, "VALIDATION_ERROR");
    ask("host: \r\n", "/api/runs").await.is(421, "MISDIRECTED");
    ask("host: localhost\r\n", "http://evil.example/api/runs").await.is(421, "MISDIRECTED");
    ask("host: evil.example\r\n", "http://localhost/api/runs").await.is(421, "MISDIRECTED");
    assert_eq!(ask("host: localhost\r\n", "http://localhost/api/runs").await.status, 200);
    raw(world.address, b"GET /healthz HTTP/1.0\r\n\r\n").await.is(400, "VALIDATION_ERROR");
}

#[tokio::test]
async fn odd_targets_are_not_found() {
    let world = World::new().await;
    for line in ["OPTIONS *", "GET /%", "GET /api/runs;x=1", "GET /api\\runs"] {
        let answer = raw(world.address, head(&world, line, "").as_bytes()).await;
        answer.is(404, "NOT_FOUND");
    }
    let connect = raw(world.address, head(&world, "CONNECT localhost:80", "").as_bytes()).await;
    assert!((400..500).contains(&connect.status), "{}", connect.status);
}

#[tokio::test]
async fn what_is_no_http_is_refused_and_harms_nobody() {
    let world = World::new().await;
    for bytes in [
        &b"\0\0\0\0\r\n\r\n"[..],
        b"GET /healthz\r\n\r\n",
        b"GET /healthz HTTP/9.9\r\n\r\n",
        b"GET /a b HTTP/1.1\r\n\r\n",
        b"POST /api/runs HTTP/1.1\r\nhost: localhost\r\ncontent-length: x\r\n\r\n",
        b"POST /api/runs HTTP/1.1\r\nhost: localhost\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\n",
        b"GET /healthz HTTP/1.1\r\nhost : localhost\r\n\r\n",
        b"GET /healthz HTTP/1.1\r\n\xff: localhost\r\n\r\n",
        b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
    ] {
        let mut stream = TcpStream::connect(world.address).await.unwrap();
        stream.write_all(bytes).await.unwrap();
        let mut all = Vec::new();
        stream.read_to_end(&mut all).await.unwrap();
        assert!(all.is_empty() || parse(&all).status == 400, "{}", String::from_utf8_lossy(&all));
    }
    // What is there twice in two ways is how requests are smuggled.
    let more =
        "content-type: application/json\r\ncontent-length: 4\r\ntransfer-encoding: chunked\r\n";
    let request = format!("{}2\r\n{{}}\r\n0\r\n\r\n", head(&world, "POST /api/v1/process", more));
    let answer = raw(world.address, request.as_bytes()).await;
    assert_eq!((answer.status, answer.header("connection")), (200, Some("close")));
    assert_eq!(world.get("/healthz").await.status, 200);
}

#[tokio::test]
async fn broken_utf8_in_headers_is_no_way_in() {
    let world = World::new().await;
    let token = world.token.reveal();
    let request = |headers: &[u8]| {
        let mut request = b"GET /api/runs HTTP/1.1\r\nconnection: close\r\n".to_vec();
        request.extend_from_slice(headers);
        request.extend_from_slice(b"\r\n");
        request
    };
    raw(world.address, &request(b"host: \xff\r\n")).await.is(421, "MISDIRECTED");
    raw(world.address, &request(b"host: localhost\r\nauthorization: Bearer \xff\xfe\r\n"))
        .await
        .is(401, "UNAUTHORIZED");
    let origin = [
        &b"host: localhost\r\norigin: http://\xff\r\nauthorization: Bearer "[..],
        token.as_bytes(),
        b"\r\n",
    ];
    raw(world.address, &request(&origin.concat())).await.is(403, "FORBIDDEN");
}
