//! The middleware that every request passes, in this order: a request id, the size of its head, the host it means,
//! the page it comes from, a free place for its owner and one for all, who makes it. Only then is it routed, on a
//! blocking thread, within the time limit; the route says whether this caller may use it. Every response gets the
//! request id, and an error its body.
//!
//! Nothing here reads a body or a query, or knows a route other than by its path.

mod client;
mod host;
mod identity;
mod origin;
mod owner_places;
mod request_id;
mod shares;

use std::{any::Any, panic::AssertUnwindSafe, sync::Arc, time::Duration};

use axum::{
    body::Body,
    extract::{Request, State},
    http::{HeaderMap, HeaderValue, Method, Uri, header},
    middleware::Next,
    response::{IntoResponse, Response},
};
use futures_util::FutureExt;
use tokio::{
    sync::OwnedSemaphorePermit,
    time::{Instant, sleep, timeout},
};
use tracing::{Instrument, Span, error_span, field::Empty, info};

pub use self::client::TrustedProxy;
pub(crate) use self::{
    client::Peer,
    host::is_name,
    identity::{Identified, KnownCredentials, are_still},
    owner_places::OwnerPlaces,
};
use self::{
    owner_places::OwnerPlace,
    request_id::{REQUEST_ID, RequestId, X_REQUEST_ID},
};
use crate::{
    Incident,
    blocking::{run_blocking, run_in_background},
    endpoint::Capacity,
    error::Problem,
    respond::{JSON, NeedsResume},
    routes::{capacity_of, is_public},
    server::App,
};

/// There is no worker that drives runs.
pub(crate) const UNATTENDED: &str = "UNATTENDED";
/// The most that names and values of headers may come to, and the target.
const MOST_HEAD: usize = 16 << 10;
/// What a request to a public route may bring, and how long it may take.
const MOST_PUBLIC_BODY: usize = 16 << 10;
const PUBLIC_BODY_TIME: Duration = Duration::from_secs(5);
/// How long a request that finds no place waits for being told so.
const REFUSED: Duration = Duration::from_millis(250);

pub(crate) async fn gate(State(app): State<Arc<App>>, request: Request, next: Next) -> Response {
    let (id, begun) = (RequestId::of(request.headers()), Instant::now());
    let (method, path) = (request.method().as_str(), request.uri().path());
    let span = error_span!("request", request = id.as_str(), method, path, owner = Empty);
    let answering = async {
        let response = answer(&app, &id, request, next).await;
        let duration_ms = u64::try_from(begun.elapsed().as_millis()).unwrap_or(u64::MAX);
        info!(status = response.status().as_u16(), duration_ms, "request finished");
        response
    };
    answering.instrument(span).await
}

async fn answer(app: &Arc<App>, id: &RequestId, request: Request, next: Next) -> Response {
    let (method, uri) = (request.method().clone(), request.uri().clone());
    let answering = async {
        match admit(app, request).await {
            Ok(Admitted { places, capacity, request }) => {
                // It may be polled on another thread, and is in the span there, too.
                let answering = route(app.clone(), request, next).in_current_span();
                let answering = AssertUnwindSafe(answering).catch_unwind();
                let answered = match places {
                    None => answering.await,
                    Some(places) => answer_on_thread(answering, places, capacity).await,
                };
                answered.unwrap_or_else(|panic| {
                    Problem::new("INTERNAL_ERROR", panic_message(&*panic)).into_response()
                })
            }
            Err(problem) => problem.into_response(),
        }
    };
    let answered = timeout(app.options.time_limit, answering).await.unwrap_or_else(|_| {
        let limit = app.options.time_limit;
        Problem::new("TIMEOUT", format!("the request was not done within {limit:?}"))
            .into_response()
    });
    finish(answered, id, app, &method, &uri)
}

type Answered = Result<Response, Box<dyn Any + Send>>;

/// Finds out who makes the request, unless that is known, and routes it.
async fn route(app: Arc<App>, mut request: Request, next: Next) -> Response {
    if request.extensions().get::<Identified>().is_none() {
        let identified = identity::identify(&app, request.headers()).await;
        tell_owner(&identified);
        request.extensions_mut().insert(identified);
    }
    next.run(request).await
}

/// Answers on a thread that may block. The places are given back when the work has stopped, not already when the client
/// has gone.
async fn answer_on_thread(
    answering: impl Future<Output = Answered> + Send + 'static,
    places: Places,
    capacity: Capacity,
) -> Answered {
    let work = async move {
        let Places { of_owner, of_all: _of_all, turn: _turn } = places;
        match of_owner {
            Some(of_owner) => of_owner.run(answering).await,
            None => answering.await,
        }
    };
    let broken = |cause: String| Err(Box::new(cause) as Box<dyn Any + Send>);
    match capacity {
        // They compute long, and may be many.
        Capacity::SignIns => {
            run_in_background(work).await.unwrap_or_else(|cause| broken(cause.to_string()))
        }
        Capacity::Requests | Capacity::Processing | Capacity::Unlimited => {
            run_blocking(work).await.unwrap_or_else(|cause| broken(cause.to_string()))
        }
    }
}

/// A request that is looked at.
struct Admitted {
    /// None where it takes no place.
    places: Option<Places>,
    capacity: Capacity,
    request: Request,
}

/// The place of a request among those of its owner, and among all.
struct Places {
    of_owner: Option<OwnerPlace>,
    of_all: OwnedSemaphorePermit,
    /// Of a log-in: few are on threads, and the others wait without one.
    turn: Option<OwnedSemaphorePermit>,
}

/// Whether a request is looked at at all, and in which places. Who makes it is found out here only if nobody has been
/// seen with its credentials yet: otherwise the owner that they had is enough to know in which line it waits, and the
/// route's own thread finds out whether they still count.
async fn admit(app: &App, mut request: Request) -> Result<Admitted, Problem> {
    check_head(app, &request)?;
    let capacity = capacity_of(request.uri().path());
    let peer = request.extensions().get::<Peer>().copied().unwrap_or_default();
    let client = client::client(peer, request.headers(), &app.options.trusted_proxies);
    request.extensions_mut().insert(client);
    if capacity == Capacity::Unlimited {
        return Ok(Admitted { places: None, capacity, request });
    }
    if is_public(request.uri().path()) {
        request = with_body(request).await?;
    }
    let owner = match identity::expected_owner(app, request.headers()) {
        Some(owner) => Some(owner),
        None => {
            let identified = identity::identify(app, request.headers()).await;
            tell_owner(&identified);
            let owner = identified.caller().filter(|caller| caller.identity().is_some());
            let owner = owner.map(|caller| caller.owner.clone());
            request.extensions_mut().insert(identified);
            owner
        }
    };
    let changes = !request.method().is_safe();
    let mut of_owner = None;
    let of_capacity = match capacity {
        Capacity::Requests => Some(&app.owner_places),
        Capacity::Processing => Some(&app.owner_processing),
        Capacity::SignIns | Capacity::Unlimited => None,
    };
    if let (Some(owner), Some(places)) = (owner, of_capacity) {
        let taken = places.take(&owner, changes).await;
        of_owner = Some(match taken {
            Ok(place) => place,
            Err(full) => return Err(refused(app, full).await),
        });
    }
    let (places, what) = match capacity {
        Capacity::Unlimited | Capacity::Requests => (&app.requests, "requests"),
        Capacity::Processing => (&app.processing, "envelopes"),
        Capacity::SignIns => (&app.sign_ins, "log-ins"),
    };
    let Ok(of_all) = places.clone().try_acquire_owned() else {
        drop(of_owner);
        return Err(refused(app, overloaded(what)).await);
    };
    let turn = match capacity {
        Capacity::SignIns => app.sign_in_turns.clone().acquire_owned().await.ok(),
        Capacity::Requests | Capacity::Processing | Capacity::Unlimited => None,
    };
    Ok(Admitted { places: Some(Places { of_owner, of_all, turn }), capacity, request })
}

/// The refusal of a request that finds no place, after a pause: clients that come back at once would keep the server
/// busy with refusals. Nothing but its connection is held meanwhile.
async fn refused(app: &App, why: Problem) -> Problem {
    // It is told so well before its time is over.
    sleep(REFUSED.min(app.options.time_limit / 4)).await;
    why
}

/// The request of a stranger with all of its body, which is small. It is read before a place is taken: a body that never
/// ends would keep the place from others.
async fn with_body(request: Request) -> Result<Request, Problem> {
    let (head, body) = request.into_parts();
    let reading = axum::body::to_bytes(body, MOST_PUBLIC_BODY);
    let body = timeout(PUBLIC_BODY_TIME, reading).await.map_err(|_| {
        Problem::new("TIMEOUT", format!("the body did not come within {PUBLIC_BODY_TIME:?}"))
    })?;
    let body = body.map_err(|_| {
        let told = format!("a body of this route has at most {MOST_PUBLIC_BODY} bytes");
        Problem::new("BODY_TOO_LARGE", told)
    })?;
    Ok(Request::from_parts(head, Body::from(body)))
}

fn tell_owner(identified: &Identified) {
    if let Some(caller) = identified.caller() {
        Span::current().record("owner", caller.owner.as_str());
    }
}

/// What is refused before anything else is looked at.
fn check_head(app: &App, request: &Request) -> Result<(), Problem> {
    let (headers, uri) = (request.headers(), request.uri());
    let target = uri.path_and_query().map_or(0, |target| target.as_str().len());
    let sizes = headers.iter().map(|(name, value)| name.as_str().len() + value.len());
    if sizes.sum::<usize>() + target > MOST_HEAD {
        let told = format!("the head of the request is larger than {MOST_HEAD} bytes");
        return Err(Problem::new("HEADERS_TOO_LARGE", told));
    }
    let host = host::check(uri, headers, &app.options.allowed_hosts)?;
    origin::check(headers, host)
}

pub(crate) fn overloaded(what: &str) -> Problem {
    Problem::new("OVERLOADED", format!("too many {what} at once; come back in a moment"))
        .with_header(header::RETRY_AFTER, HeaderValue::from_static("1"))
}

/// What a panic says. Only the operator of the server is told.
fn panic_message(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().map(|text| (*text).to_owned());
    let text = text.or_else(|| panic.downcast_ref::<String>().cloned());
    format!("panicked: {}", text.unwrap_or_default())
}

fn finish(
    mut response: Response,
    id: &RequestId,
    app: &App,
    method: &Method,
    uri: &Uri,
) -> Response {
    let status = response.status();
    let incident = |code: String, cause: String| Incident {
        request: id.as_str().to_owned(),
        method: method.to_string(),
        path: uri.path().to_owned(),
        status: status.as_u16(),
        code,
        cause,
    };
    if let Some(NeedsResume { command }) = response.extensions_mut().remove::<NeedsResume>() {
        let cause = format!("the run is stopped; continue with: {command}");
        app.options.report.tell(|| incident("NEEDS_RESUME".to_owned(), cause));
    }
    if status.is_client_error() || status.is_server_error() {
        let problem = response.extensions_mut().remove::<Arc<Problem>>();
        let problem = problem.unwrap_or_else(|| Arc::new(Problem::of_status(status)));
        // Probes ask again and again whether the server is ready: the worker's own report is enough.
        if problem.status.is_server_error() && problem.code != UNATTENDED {
            let cause = problem.cause.clone().unwrap_or_else(|| problem.message.to_string());
            app.options.report.tell(|| incident(problem.code.to_string(), cause));
        }
        let body = problem.envelope(id.as_str());
        let headers = response.headers_mut();
        headers.remove(header::CONTENT_LENGTH);
        headers.insert(header::CONTENT_TYPE, JSON);
        headers.extend(problem.headers.iter().cloned());
        *response.body_mut() = Body::from(body);
    }
    let headers: &mut HeaderMap = response.headers_mut();
    headers.insert(X_REQUEST_ID, id.header());
    headers.insert(REQUEST_ID, id.header());
    headers.insert(header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    headers.entry(header::CACHE_CONTROL).or_insert(HeaderValue::from_static("no-store"));
    response
}
