//! What every request passes, in this order: a name, the size of its head, the host it means, the page
//! it comes from, the token, a free place. Only then is it looked at, on a thread of its own, for so long
//! and no longer; and whatever comes of it gets its name back, and the error envelope where it is an error.
//!
//! Nothing here reads a body.

mod host;
mod identity;
mod origin;
mod request_id;

use std::{any::Any, panic::AssertUnwindSafe, sync::Arc};

use axum::{
    body::Body,
    extract::{Request, State},
    http::{HeaderMap, HeaderValue, Method, Uri, header},
    middleware::Next,
    response::{IntoResponse, Response},
};
use futures_util::FutureExt;
use tokio::{sync::OwnedSemaphorePermit, time::timeout};

pub(crate) use self::host::is_name;
use self::request_id::{REQUEST_ID, RequestId, X_REQUEST_ID};
use crate::{
    Incident,
    aside::aside,
    error::Problem,
    respond::{JSON, StandsStill},
    routes::{Room, is_public, room_of},
    server::App,
};

/// Nobody drives runs here.
pub(crate) const UNATTENDED: &str = "UNATTENDED";
/// The most that names and values of headers may come to, and the target.
const MOST_HEAD: usize = 16 << 10;

pub(crate) async fn gate(State(app): State<Arc<App>>, request: Request, next: Next) -> Response {
    let id = RequestId::of(request.headers());
    let (method, uri) = (request.method().clone(), request.uri().clone());
    let answered = match admit(&app, &request) {
        Ok(place) => {
            let answering = AssertUnwindSafe(next.run(request)).catch_unwind();
            let answering = async {
                match place {
                    None => answering.await,
                    Some(place) => answer_aside(answering, place).await,
                }
            };
            match timeout(app.options.time_limit, answering).await {
                Ok(Ok(response)) => response,
                Ok(Err(panic)) => Problem::new("INTERNAL_ERROR", said(&*panic)).into_response(),
                Err(_) => {
                    let limit = app.options.time_limit;
                    let told = format!("the request was not done within {limit:?}");
                    Problem::new("TIMEOUT", told).into_response()
                }
            }
        }
        Err(problem) => problem.into_response(),
    };
    finish(answered, &id, &app, &method, &uri)
}

type Answered = Result<Response, Box<dyn Any + Send>>;

/// Its place is free again when it has stopped, not when nobody waits for it any more.
async fn answer_aside(
    answering: impl Future<Output = Answered> + Send + 'static,
    place: OwnedSemaphorePermit,
) -> Answered {
    let answered = aside(async move {
        let _place = place;
        answering.await
    });
    answered.await.unwrap_or_else(|broken| Err(Box::new(broken.to_string())))
}

/// Whether a request is looked at at all, and in whose place.
fn admit(app: &App, request: &Request) -> Result<Option<OwnedSemaphorePermit>, Problem> {
    let (headers, uri) = (request.headers(), request.uri());
    let target = uri.path_and_query().map_or(0, |target| target.as_str().len());
    let sizes = headers.iter().map(|(name, value)| name.as_str().len() + value.len());
    if sizes.sum::<usize>() + target > MOST_HEAD {
        let told = format!("the head of the request is larger than {MOST_HEAD} bytes");
        return Err(Problem::new("HEADERS_TOO_LARGE", told));
    }
    let host = host::check(uri, headers, &app.options.allowed_hosts)?;
    origin::check(headers, host)?;
    if !is_public(uri.path()) {
        identity::check(headers, &app.token)?;
    }
    let (places, what) = match room_of(uri.path()) {
        Room::Always => return Ok(None),
        Room::Requests => (&app.requests, "requests"),
        Room::Processing => (&app.processing, "envelopes"),
    };
    places.clone().try_acquire_owned().map(Some).map_err(|_| overloaded(what))
}

pub(crate) fn overloaded(what: &str) -> Problem {
    Problem::new("OVERLOADED", format!("too many {what} at once; come back in a moment"))
        .with_header(header::RETRY_AFTER, HeaderValue::from_static("1"))
}

/// What a panic says. Only whoever keeps the server hears of it.
fn said(panic: &(dyn Any + Send)) -> String {
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
    if let Some(StandsStill { go_on }) = response.extensions_mut().remove::<StandsStill>() {
        let cause = format!("nobody goes on with it: {go_on}");
        app.options.report.tell(|| incident("NEEDS_RESUME".to_owned(), cause));
    }
    if status.is_client_error() || status.is_server_error() {
        let problem = response.extensions_mut().remove::<Arc<Problem>>();
        let problem = problem.unwrap_or_else(|| Arc::new(Problem::of_status(status)));
        // Whoever looks whether the server is ready asks again and again: that is told once, elsewhere.
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
