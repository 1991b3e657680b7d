//! Streamable HTTP for the SDK, with a limit on everything that is read.
//!
//! Unlike the SDK's own client it opens no stream besides the answers. Servers are told that this
//! client has no capabilities, so there is nothing that they could ask for there.

use std::{
    borrow::Cow,
    collections::HashMap,
    sync::{Arc, OnceLock},
};

use reqwest::{
    Client, Response, StatusCode,
    header::{ACCEPT, CONTENT_TYPE, HeaderName, HeaderValue},
};
use rmcp::{
    model::{ClientJsonRpcMessage, ClientRequest, JsonRpcMessage, ServerJsonRpcMessage},
    transport::{
        common::client_side_sse::BoxedSseResponse,
        streamable_http_client::{
            StreamableHttpClient, StreamableHttpError, StreamableHttpPostResponse,
        },
    },
};

use super::{meter::Meter, session::Sent};
use crate::http::{Lost, lost};

const SESSION: &str = "mcp-session-id";

type Error = StreamableHttpError<Broken>;

/// Why there is no answer.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub(super) struct Broken(String);

#[derive(Clone)]
pub(super) struct Web {
    pub(super) client: Client,
    pub(super) meter: Meter,
    /// Why another attempt would not help.
    pub(super) refused: Arc<OnceLock<String>>,
    /// Reset where the call could not be sent.
    pub(super) sent: Sent,
    /// Why the first failed exchange failed. The SDK's own message is longer and says less.
    pub(super) broke: Arc<OnceLock<String>>,
}

impl Web {
    fn broken(&self, error: reqwest::Error) -> Error {
        self.lost(lost(error))
    }

    fn lost(&self, lost: Lost) -> Error {
        let why = match lost {
            Lost::Refused(why) => {
                let _ = self.refused.set(why.clone());
                why
            }
            Lost::Unsent(why) | Lost::Unknown(why) => why,
        };
        let _ = self.broke.set(why.clone());
        StreamableHttpError::Client(Broken(why))
    }

    /// The error for a message that could not be sent.
    fn unsent(&self, error: reqwest::Error, is_call: bool) -> Error {
        let lost = lost(error);
        if is_call && !matches!(lost, Lost::Unknown(_)) {
            self.sent.set(false);
        }
        self.lost(lost)
    }

    /// The next piece of an answer.
    async fn more(&self, response: &mut Response) -> Result<Option<bytes::Bytes>, Error> {
        let chunk = response.chunk().await.map_err(|error| self.broken(error))?;
        match chunk {
            Some(chunk) if !self.meter.count(chunk.len()) => {
                Err(StreamableHttpError::Client(Broken("it sent more than its limit".to_owned())))
            }
            chunk => Ok(chunk),
        }
    }

    /// The answer as one message.
    async fn whole(&self, mut response: Response) -> Result<ServerJsonRpcMessage, Error> {
        let mut body = Vec::new();
        while let Some(chunk) = self.more(&mut response).await? {
            body.extend_from_slice(&chunk);
        }
        Ok(serde_json::from_slice(&body)?)
    }

    /// The first answer in a stream of events.
    async fn first_reply(&self, mut response: Response) -> Result<ServerJsonRpcMessage, Error> {
        let mut events = Events::default();
        while let Some(chunk) = self.more(&mut response).await? {
            for event in events.feed(&chunk) {
                match serde_json::from_slice(&event)? {
                    reply @ (JsonRpcMessage::Response(_) | JsonRpcMessage::Error(_)) => {
                        return Ok(reply);
                    }
                    JsonRpcMessage::Request(_) | JsonRpcMessage::Notification(_) => {}
                }
            }
        }
        Err(StreamableHttpError::UnexpectedEndOfStream)
    }

    async fn no(
        &self,
        status: StatusCode,
        response: Response,
    ) -> Result<ServerJsonRpcMessage, Error> {
        // An error in the protocol's own words is worth more than a status.
        if !matches!(status, StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN)
            && let Ok(error @ JsonRpcMessage::Error(_)) = self.whole(response).await
        {
            return Ok(error);
        }
        let why = format!("the server answered {status}");
        let passing = matches!(status.as_u16(), 408 | 425 | 429 | 500..=599);
        if !passing {
            let _ = self.refused.set(why.clone());
        }
        Err(StreamableHttpError::UnexpectedServerResponse(Cow::Owned(why)))
    }
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
        let is_call = is_call(&message);
        let mut request = self
            .client
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
        let response = request.send().await.map_err(|error| self.unsent(error, is_call))?;
        let status = response.status();
        let header = |name: &str| Some(response.headers().get(name)?.to_str().ok()?.to_owned());
        let (given, kind) = (header(SESSION), header("content-type").unwrap_or_default());
        let reply = match status {
            StatusCode::NOT_FOUND if session.is_some() => {
                return Err(StreamableHttpError::SessionExpired);
            }
            status if !status.is_success() => self.no(status, response).await?,
            _ if !expects_reply => return Ok(StreamableHttpPostResponse::Accepted),
            _ if kind.starts_with("text/event-stream") => self.first_reply(response).await?,
            _ if kind.starts_with("application/json") => self.whole(response).await?,
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
        let mut request = self.client.delete(uri.as_ref()).headers(headers.into_iter().collect());
        if let Some(bearer) = bearer {
            request = request.bearer_auth(bearer);
        }
        let request = request.header(SESSION, session.as_ref());
        // A server may decline; the session is over for us all the same.
        request.send().await.map(|_| ()).map_err(|error| self.broken(error))
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

fn is_call(message: &ClientJsonRpcMessage) -> bool {
    let JsonRpcMessage::Request(request) = message else { return false };
    matches!(request.request, ClientRequest::CallToolRequest(_))
}

/// Takes the data of events out of a stream.
#[derive(Default)]
struct Events {
    line: Vec<u8>,
    data: Vec<u8>,
}

impl Events {
    fn feed(&mut self, bytes: &[u8]) -> Vec<Vec<u8>> {
        let mut events = Vec::new();
        for &byte in bytes {
            if byte != b'\n' {
                self.line.push(byte);
                continue;
            }
            let line = std::mem::take(&mut self.line);
            let line = line.strip_suffix(b"\r").unwrap_or(&line);
            if line.is_empty() {
                // An event without data is there to keep the connection open.
                let data = std::mem::take(&mut self.data);
                if !data.is_empty() {
                    events.push(data);
                }
            } else if let Some(data) = line.strip_prefix(b"data:") {
                if !self.data.is_empty() {
                    self.data.push(b'\n');
                }
                self.data.extend_from_slice(data.strip_prefix(b" ").unwrap_or(data));
            }
        }
        events
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn events_are_found_however_the_stream_is_cut() {
        let stream = b": hello\r\nid: 1\ndata:\n\nevent: message\ndata: {\"a\":\r\ndata:1}\r\n\r\ndata: 2\n\ndata: 3";
        for size in 1..stream.len() {
            let mut events = Events::default();
            let found: Vec<_> = stream.chunks(size).flat_map(|chunk| events.feed(chunk)).collect();
            assert_eq!(found, [b"{\"a\":\n1}".to_vec(), b"2".to_vec()], "by {size}");
        }
    }
}
