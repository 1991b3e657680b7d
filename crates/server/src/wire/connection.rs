//! Serves one connection, from its first byte to its last.

use std::{future::poll_fn, pin::Pin, time::Duration};

use axum::{Router, body::Body};
use hyper::{Request, body::Incoming, server::conn::http1, service::service_fn};
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpStream,
    time::timeout,
};
use tower_service::Service;

use super::{Closing, Wire, write_timeout::WriteTimeout};

/// How long, and how much of, what was refused is still taken off the wire. A connection that is
/// closed while bytes are unread is reset, and the client may never see why.
const LINGER: Duration = Duration::from_secs(2);
const MOST_LEFT: usize = 64 << 20;

pub(super) async fn attend(stream: TcpStream, router: Router, wire: Wire, mut closing: Closing) {
    // Answers are small and complete: there is nothing to wait for.
    let _ = stream.set_nodelay(true);
    let told = closing.clone();
    let service = service_fn(move |mut request: Request<Incoming>| {
        request.extensions_mut().insert(told.clone());
        router.clone().call(request.map(Body::new))
    });
    let io = TokioIo::new(WriteTimeout::new(stream, wire.write_time));
    let mut connection = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(wire.head_time)
        .max_buf_size(wire.max_head_bytes.max(8 << 10))
        .serve_connection(io, service);
    let mut stopping = false;
    let ended = loop {
        let ended = tokio::select! {
            biased;
            ended = poll_fn(|cx| connection.poll_without_shutdown(cx)) => Some(ended),
            () = closing.wait(), if !stopping => None,
        };
        if let Some(ended) = ended {
            break ended;
        }
        stopping = true;
        Pin::new(&mut connection).graceful_shutdown();
    };
    let mut stream = connection.into_parts().io.into_inner();
    // A client that has gone, or was too slow, is not waited for.
    let listens = ended.as_ref().err().is_none_or(hyper::Error::is_parse);
    if listens && stream.shutdown().await.is_ok() {
        let _ = timeout(LINGER, drain(&mut stream)).await;
    }
}

async fn drain(stream: &mut WriteTimeout) {
    let mut scratch = vec![0; 16 << 10];
    let mut left = MOST_LEFT;
    while let Ok(read @ 1..) = stream.read(&mut scratch).await {
        left = left.saturating_sub(read);
        if left == 0 {
            return;
        }
    }
}
