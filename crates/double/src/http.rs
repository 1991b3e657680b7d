//! Serves the double over HTTP.

use std::{convert::Infallible, future::Future, sync::Arc, time::Duration};

use axum::{
    Router,
    body::{Body, Bytes},
    extract::{Request, State},
    http::StatusCode,
    response::{IntoResponse, Response},
};
use consign_models::transport::{Broken, Incoming};
use futures_util::{StreamExt, stream};
use tokio::{net::TcpListener, sync::watch};

use super::server::{Double, Exchange, MOST_BODY_BYTES};

/// How long connections may take to end after the double has stopped.
const LAST_WORDS: Duration = Duration::from_secs(1);

impl Double {
    /// Answers on the listener until the future completes. Requests without an answer are dropped
    /// then.
    pub async fn serve(
        self: Arc<Self>,
        listener: TcpListener,
        until: impl Future<Output = ()> + Send + 'static,
    ) -> std::io::Result<()> {
        let (stop, stopped) = watch::channel(false);
        let router = Router::new().fallback(respond).with_state((self, Stopped(stopped.clone())));
        let ending = async move {
            until.await;
            // Nobody listens when nothing is under way.
            let _ = stop.send(true);
        };
        let serving = axum::serve(listener, router).with_graceful_shutdown(ending);
        tokio::select! {
            ended = serving.into_future() => ended,
            () = async {
                Stopped(stopped).wait().await;
                tokio::time::sleep(LAST_WORDS).await;
            } => Ok(()),
        }
    }
}

/// Tells when no more requests are answered.
#[derive(Clone)]
struct Stopped(watch::Receiver<bool>);

impl Stopped {
    async fn wait(mut self) {
        // Whoever would tell is gone only when all is over.
        let _ = self.0.wait_for(|stopped| *stopped).await;
    }
}

async fn respond(
    State((double, stopped)): State<(Arc<Double>, Stopped)>,
    request: Request,
) -> Result<Response, Infallible> {
    let answer = async {
        let exchange = read(request).await;
        double.answer(&exchange).send().await
    };
    Ok(tokio::select! {
        incoming = answer => response(incoming, stopped.clone()),
        () = stopped.clone().wait() => StatusCode::SERVICE_UNAVAILABLE.into_response(),
    })
}

async fn read(request: Request) -> Exchange {
    let (head, body) = request.into_parts();
    let text =
        |value: &axum::http::HeaderValue| String::from_utf8_lossy(value.as_bytes()).into_owned();
    let headers =
        head.headers.iter().map(|(name, value)| (name.to_string(), text(value))).collect();
    Exchange {
        method: head.method.to_string(),
        path: head.uri.path().to_owned(),
        query: head.uri.query().unwrap_or_default().to_owned(),
        headers,
        body: gather(body).await,
    }
}

/// The body, unless it is too large. Then as much again is read and dropped: a client that is still
/// writing would not read why it was refused.
async fn gather(body: Body) -> Option<Bytes> {
    let mut stream = body.into_data_stream();
    let mut gathered = Vec::new();
    let mut total = 0;
    while let Some(Ok(piece)) = stream.next().await {
        total += piece.len();
        if total <= MOST_BODY_BYTES {
            gathered.extend_from_slice(&piece);
        } else if total > 2 * MOST_BODY_BYTES {
            return None;
        } else {
            gathered = Vec::new();
        }
    }
    (total <= MOST_BODY_BYTES).then(|| gathered.into())
}

fn response(incoming: Incoming, stopped: Stopped) -> Response {
    // A body that stalls must not keep the double from ending.
    let ended = stream::once(async move {
        stopped.wait().await;
        Err(Broken::Lost("the double has ended".to_owned()))
    });
    let body = until_ended(incoming.body, ended.boxed());
    let mut response = Response::builder().status(incoming.status);
    for (name, value) in &incoming.headers {
        response = response.header(name, value);
    }
    response
        .body(Body::from_stream(body))
        .unwrap_or_else(|_| StatusCode::INTERNAL_SERVER_ERROR.into_response())
}

type Pieces = stream::BoxStream<'static, Result<Bytes, Broken>>;

/// The body, or the end of all if that comes first.
fn until_ended(body: Pieces, ended: Pieces) -> Pieces {
    stream::unfold(Some((body, ended)), |both| async move {
        let (mut body, mut ended) = both?;
        tokio::select! {
            biased;
            piece = body.next() => match piece? {
                Ok(piece) => Some((Ok(piece), Some((body, ended)))),
                Err(broken) => Some((Err(broken), None)),
            },
            Some(broken) = ended.next() => Some((broken, None)),
        }
    })
    .boxed()
}
