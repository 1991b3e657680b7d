//! Serves one connection, from its first byte to its last.

use std::{future::poll_fn, net::IpAddr, pin::Pin, time::Duration};

use axum::{Router, body::Body};
use hyper::{Request, body::Incoming, server::conn::http1, service::service_fn};
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::{
    io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt},
    net::TcpStream,
    time::timeout,
};
use tower_service::Service;

use super::{Closing, Wire, write_timeout::WriteTimeout};
use crate::gate::Peer;

/// How long, and how much of, what was refused is still taken off the wire. A connection that is
/// closed while bytes are unread is reset, and the client may never see why.
const LINGER: Duration = Duration::from_secs(2);
const MOST_LEFT: usize = 64 << 20;

/// Serves a connection, after the handshake where there is TLS.
pub(super) async fn attend(
    stream: TcpStream,
    address: IpAddr,
    router: Router,
    wire: Wire,
    closing: Closing,
) {
    // Answers are small and complete: there is nothing to wait for.
    let _ = stream.set_nodelay(true);
    let Some(tls) = &wire.tls else {
        let peer = Peer { address, is_tls: false };
        return serve(stream, peer, router, &wire, closing).await;
    };
    // A client that never ends its handshake is let go like one that never ends its head.
    if let Ok(Ok(stream)) = timeout(wire.head_time, tls.acceptor().accept(stream)).await {
        serve(stream, Peer { address, is_tls: true }, router, &wire, closing).await;
    }
}

async fn serve<S: AsyncRead + AsyncWrite + Unpin + Send + 'static>(
    stream: S,
    peer: Peer,
    router: Router,
    wire: &Wire,
    mut closing: Closing,
) {
    let told = closing.clone();
    let service = service_fn(move |mut request: Request<Incoming>| {
        request.extensions_mut().insert(told.clone());
        request.extensions_mut().insert(peer);
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

async fn drain(stream: &mut (impl AsyncRead + Unpin)) {
    let mut scratch = vec![0; 16 << 10];
    let mut left = MOST_LEFT;
    while let Ok(read @ 1..) = stream.read(&mut scratch).await {
        left = left.saturating_sub(read);
        if left == 0 {
            return;
        }
    }
}
