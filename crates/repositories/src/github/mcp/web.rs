//! Streamable HTTP for the SDK, with a limit on every answer. It opens no stream besides the answers:
//! nothing that the server would ask for there is offered to it.

use std::{collections::HashMap, sync::Arc};

use reqwest::{
    Client, Response, StatusCode,
    header::{ACCEPT, CONTENT_TYPE, HeaderName, HeaderValue},
};
use rmcp::{
    model::{ClientJsonRpcMessage, JsonRpcMessage, ServerJsonRpcMessage},
    transport::{
        common::client_side_sse::BoxedSseResponse,
        streamable_http_client::{
            StreamableHttpClient, StreamableHttpError, StreamableHttpPostResponse,
        },
    },
};

use super::session::ANSWER;
use crate::github::rest::{lost, whole};

const SESSION: &str = "mcp-session-id";

type Error = StreamableHttpError<Broken>;

/// Why there is no answer.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub(super) struct Broken(String);

fn broken(error: &crate::Error) -> Error {
    StreamableHttpError::Client(Broken(error.to_string()))
}

#[derive(Clone)]
pub(super) struct Web {
    pub(super) http: Client,
}

impl StreamableHttpClient for Web {
    type Error = Broken;

    async fn post_message(
        &self,
        uri: Arc<str>,
        message: ClientJsonRpcMessage,
        session: Option<Arc<str>>,
        bearer: Option<String>,
        headers: HashMap<HeaderName, HeaderValue>,
    ) -> Result<StreamableHttpPostResponse, Error> {
        let expects_reply = matches!(message, JsonRpcMessage::Request(_));
        let mut request = self
            .http
            .post(uri.as_ref())
            .headers(headers.into_iter().collect())
            .header(ACCEPT, "application/json, text/event-stream")
            .header(CONTENT_TYPE, "application/json")
            .body(serde_json::to_vec(&message)?);
        if let Some(bearer) = bearer {
            request = request.bearer_auth(bearer);
        }
        if let Some(session) = &session {
            request = request.header(SESSION, session.as_ref());
        }
        let response = request.send().await.map_err(|error| broken(&lost(error)))?;
        let status = response.status();
        let header = |name: &str| Some(response.headers().get(name)?.to_str().ok()?.to_owned());
        let (given, kind) = (header(SESSION), header("content-type").unwrap_or_default());
        let reply = match status {
            StatusCode::NOT_FOUND if session.is_some() => {
                return Err(StreamableHttpError::SessionExpired);
            }
            status if !status.is_success() => {
                let why = format!("the server answered {}", status.as_u16());
                return Err(StreamableHttpError::Client(Broken(why)));
            }
            _ if !expects_reply => return Ok(StreamableHttpPostResponse::Accepted),
            _ if kind.starts_with("text/event-stream") => reply_in(response).await?,
            _ if kind.starts_with("application/json") => {
                let body = whole(response, ANSWER as u64).await.map_err(|it| broken(&it))?;
                serde_json::from_slice(&body)?
            }
            _ => return Err(StreamableHttpError::UnexpectedContentType(Some(kind))),
        };
        Ok(StreamableHttpPostResponse::Json(reply, given))
    }

    async fn delete_session(
        &self,
        uri: Arc<str>,
        session: Arc<str>,
        bearer: Option<String>,
        headers: HashMap<HeaderName, HeaderValue>,
    ) -> Result<(), Error> {
        let mut request = self.http.delete(uri.as_ref()).headers(headers.into_iter().collect());
        if let Some(bearer) = bearer {
            request = request.bearer_auth(bearer);
        }
        let request = request.header(SESSION, session.as_ref());
        request.send().await.map(|_| ()).map_err(|error| broken(&lost(error)))
    }

    async fn get_stream(
        &self,
        _uri: Arc<str>,
        _session: Option<Arc<str>>,
        _last_event: Option<String>,
        _bearer: Option<String>,
        _headers: HashMap<HeaderName, HeaderValue>,
    ) -> Result<BoxedSseResponse, Error> {
        Err(StreamableHttpError::ServerDoesNotSupportSse)
    }
}

/// The first answer in a stream of events. The stream may stay open after it.
async fn reply_in(response: Response) -> Result<ServerJsonRpcMessage, Error> {
    let mut response = response;
    let (mut line, mut data, mut read) = (Vec::new(), Vec::new(), 0);
    while let Some(chunk) = response.chunk().await.map_err(|error| broken(&lost(error)))? {
        read += chunk.len();
        if read > ANSWER {
            return Err(StreamableHttpError::Client(Broken("its answer is too large".to_owned())));
        }
        for &byte in &chunk {
            if byte != b'\n' {
                line.push(byte);
                continue;
            }
            let whole = std::mem::take(&mut line);
            let whole = whole.strip_suffix(b"\r").unwrap_or(&whole);
            if let Some(more) = whole.strip_prefix(b"data:") {
                data.extend_from_slice(more.strip_prefix(b" ").unwrap_or(more));
                continue;
            }
            if !whole.is_empty() || data.is_empty() {
                continue;
            }
            match serde_json::from_slice(&std::mem::take(&mut data))? {
                reply @ (JsonRpcMessage::Response(_) | JsonRpcMessage::Error(_)) => {
                    return Ok(reply);
                }
                JsonRpcMessage::Request(_) | JsonRpcMessage::Notification(_) => {}
            }
        }
    }
    Err(StreamableHttpError::UnexpectedEndOfStream)
}
