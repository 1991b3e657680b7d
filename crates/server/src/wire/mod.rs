//! A router on a socket, with bounds on what comes before a request is one: connections, heads that
//! never end, readers that never read.
//!
//! What the HTTP library refuses by itself (bytes that are no HTTP, more than a hundred headers, a head
//! beyond [`Wire::max_head_bytes`]) is a bare 400 or 431: there is no request yet that an envelope could
//! be about.

mod connection;
mod tls;
mod write_timeout;

use std::{future::Future, io, net::SocketAddr, sync::Arc, time::Duration};

use axum::Router;
pub(crate) use consign_app::closing::Closing;
pub use tls::{Tls, TlsError};
use tokio::{
    net::TcpListener,
    sync::{Semaphore, watch},
    task::JoinSet,
    time::{sleep, timeout},
};
use tracing::info;

/// What connections may cost.
#[derive(Clone, Debug)]
pub struct Wire {
    /// Connections at once; more wait until one ends.
    pub max_connections: usize,
    /// What is read of a head before it is given up.
    pub max_head_bytes: usize,
    /// How long a head may take to come, and how long a connection may lie idle.
    pub head_time: Duration,
    /// How long a client may read nothing of its answer.
    pub write_time: Duration,
    /// How long what is under way has to end once the server stops.
    pub grace: Duration,
    /// The certificate and key with which connections are encrypted; without, they are not.
    pub tls: Option<Tls>,
}

impl Default for Wire {
    fn default() -> Self {
        Self {
            max_connections: 1024,
            max_head_bytes: 64 << 10,
            head_time: Duration::from_secs(30),
            write_time: Duration::from_secs(30),
            grace: Duration::from_secs(10),
            tls: None,
        }
    }
}

/// Serves until `shutdown`, then lets what is under way end.
pub async fn serve(
    listener: TcpListener,
    router: Router,
    shutdown: impl Future<Output = ()>,
) -> io::Result<()> {
    serve_within(listener, router, &Wire::default(), shutdown).await
}

/// Serves until `shutdown` within other bounds than the default, then lets what is under way end.
pub async fn serve_within(
    listener: TcpListener,
    router: Router,
    wire: &Wire,
    shutdown: impl Future<Output = ()>,
) -> io::Result<()> {
    let (close, closing) = watch::channel(false);
    let closing = Closing::new(closing);
    let slots = Arc::new(Semaphore::new(wire.max_connections.clamp(1, Semaphore::MAX_PERMITS)));
    let mut connections = JoinSet::new();
    tokio::pin!(shutdown);
    if let Ok(address) = listener.local_addr() {
        info!(%address, "server listening");
    }
    loop {
        let accepted = tokio::select! {
            biased;
            () = &mut shutdown => break,
            accepted = accept(&listener, &slots) => accepted,
        };
        while connections.try_join_next().is_some() {}
        match accepted {
            Ok((stream, address, slot)) => {
                let (router, closing) = (router.clone(), closing.clone());
                let connection =
                    connection::attend(stream, address.ip(), router, wire.clone(), closing);
                connections.spawn(async move {
                    connection.await;
                    drop(slot);
                });
            }
            Err(why) if is_of_connection(&why) => {}
            // Out of file handles, most likely: connections that end will free some.
            Err(_) => sleep(Duration::from_millis(100)).await,
        }
    }
    drop(listener);
    close.send_replace(true);
    let all_ended = async { while connections.join_next().await.is_some() {} };
    let _ = timeout(wire.grace, all_ended).await;
    connections.shutdown().await;
    info!("server stopped");
    Ok(())
}

type Accepted = (tokio::net::TcpStream, SocketAddr, tokio::sync::OwnedSemaphorePermit);

async fn accept(listener: &TcpListener, slots: &Arc<Semaphore>) -> io::Result<Accepted> {
    let slot = slots.clone().acquire_owned().await.map_err(io::Error::other)?;
    let (stream, address) = listener.accept().await?;
    Ok((stream, address, slot))
}

/// Whether an error of `accept` concerns only the one connection, and the listener is fine.
fn is_of_connection(why: &io::Error) -> bool {
    use io::ErrorKind::{ConnectionAborted, ConnectionRefused, ConnectionReset};
    [ConnectionAborted, ConnectionRefused, ConnectionReset].contains(&why.kind())
}
