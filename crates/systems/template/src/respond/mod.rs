//! Answers a request by writing its file `.agent-response.json`, once and completely.
//!
//! Every answer, by hand, from the inbox, over HTTP or MCP, is written here. A response is complete and
//! synced before it has its name, and never replaces another: of two at once exactly one succeeds.
//! Nothing here consumes a response or touches the state; only the holder of the project's lock does.

use std::{io, path::Path, time::Duration};

use consign_contracts::{
    Breach,
    bridge::{AgentRequest, AgentResponse, ErrorType, ResponseMetadata, ResponseStatus},
    json::{self, Malformed, Number, Object},
    wire::{Integer, Message, Timestamp, Wire},
};
use consign_engine::{At, Fault};

use super::{
    answers,
    folder::{self, BridgeFile, Folder},
};

pub const REQUEST: &str = BridgeFile::Request.name();
pub const RESPONSE: &str = BridgeFile::Response.name();

/// Longer answers are refused.
pub const MOST_ANSWER: usize = 10_000_000;

/// Why an answer was not accepted. Nothing was written.
#[derive(Debug, thiserror::Error)]
pub enum RespondError {
    /// The project cannot be reached, or not written to.
    #[error("{place}: {source}")]
    Folder { place: String, source: io::Error },
    /// The file is a link, a directory or something else that is not opened.
    #[error("{place} is not a regular file, and was not changed")]
    NoFile { place: String },
    /// There is no such request, or another one by now.
    #[error("{0}")]
    NotPending(String),
    #[error("{REQUEST} is not JSON: {0}")]
    Malformed(Malformed),
    #[error("{file} breaks its contract: {}", breaches.first().map(ToString::to_string).unwrap_or_default())]
    Breached { file: &'static str, breaches: Vec<Breach> },
    #[error("the answer has {found} bytes; the limit is {MOST_ANSWER}")]
    TooLarge { found: usize },
    /// There is a response already. The first one counts.
    #[error("{RESPONSE} already exists: the first answer counts")]
    AlreadyAnswered,
}

impl From<folder::Error> for RespondError {
    fn from(error: folder::Error) -> Self {
        match error {
            folder::Error::Taken { .. } => Self::AlreadyAnswered,
            folder::Error::Link { name } | folder::Error::NotAFile { name } => {
                Self::NoFile { place: name }
            }
            folder::Error::TooLarge { name, most } => {
                let large = io::Error::new(
                    io::ErrorKind::FileTooLarge,
                    format!("it has more than {most} bytes"),
                );
                Self::Folder { place: name, source: large }
            }
            folder::Error::NotAFolder { path, source } => {
                Self::Folder { place: path.display().to_string(), source }
            }
            folder::Error::Busy { path } => {
                let busy = io::Error::from(io::ErrorKind::ResourceBusy);
                Self::Folder { place: path.display().to_string(), source: busy }
            }
            folder::Error::Io { name, source, .. } => Self::Folder { place: name, source },
        }
    }
}

impl RespondError {
    /// The error as a fault.
    #[must_use]
    pub fn fault(&self) -> Fault {
        let text = self.to_string();
        match self {
            Self::AlreadyAnswered => Fault::permanent("ALREADY_ANSWERED", text),
            Self::NotPending(_) => Fault::permanent("NOT_PENDING", text),
            Self::TooLarge { .. } => Fault::permanent("ANSWER_TOO_LARGE", text),
            Self::Folder { .. } => Fault::transient("PROJECT_UNAVAILABLE", text),
            Self::NoFile { .. } | Self::Malformed(_) | Self::Breached { .. } => {
                Fault::permanent("REQUEST_INVALID", text)
            }
        }
    }
}

/// The request that waits in a project's folder.
pub fn pending(project: &Path) -> Result<AgentRequest, RespondError> {
    request(&Folder::open(project)?)
}

/// How long ago a request was written. `None` if its time cannot be read.
#[must_use]
pub fn since(request: &AgentRequest, now: At) -> Option<Duration> {
    let asked = At::from_rfc3339(request.created_at.as_str())?;
    (asked <= now).then(|| now.since(asked))
}

/// The pending request of a project, if it has this id.
pub fn pending_as(project: &Path, request_id: &str) -> Result<AgentRequest, RespondError> {
    expect(&Folder::open(project)?, request_id)
}

/// A response with an agent's answer.
pub fn wrap(
    request: &AgentRequest,
    text: String,
    took: Option<Duration>,
    metadata: Option<ResponseMetadata>,
    now: At,
) -> Result<AgentResponse, RespondError> {
    if text.len() > MOST_ANSWER {
        return Err(RespondError::TooLarge { found: text.len() });
    }
    let empty = empty(request, ResponseStatus::Success, took, now);
    Ok(AgentResponse { response: Some(text), metadata, ..empty })
}

/// The metadata of an answer: who gave it, how long it took, and its confidence.
#[must_use]
pub fn metadata(
    request: &AgentRequest,
    text: &str,
    model: Option<String>,
    tokens_used: Option<u64>,
) -> ResponseMetadata {
    let answer = answers::read(request.phase_name, text).ok();
    let sure = answer.as_ref().and_then(answers::Answer::overall);
    ResponseMetadata {
        model,
        tokens_used: tokens_used.and_then(|it| i64::try_from(it).ok()).map(Integer::from),
        confidence: sure.and_then(|sure| Number::try_from(sure).ok()),
        extra: Object::new(),
    }
}

/// A response that reports how the agent failed.
#[must_use]
pub fn fail(
    request: &AgentRequest,
    error: ErrorType,
    why: Option<String>,
    took: Option<Duration>,
    now: At,
) -> AgentResponse {
    let empty = empty(request, error.status(), took, now);
    AgentResponse { error_type: Some(error), error_message: why, ..empty }
}

/// A response that declines the request, with a reason.
#[must_use]
pub fn give_up(
    request: &AgentRequest,
    why: &str,
    took: Option<Duration>,
    now: At,
) -> AgentResponse {
    let empty = empty(request, ResponseStatus::Cancelled, took, now);
    AgentResponse { error_message: Some(why.to_owned()), ..empty }
}

/// Writes a response to the project's folder, if there is none and this request is pending.
pub fn respond(
    project: &Path,
    request_id: &str,
    response: &AgentResponse,
) -> Result<(), RespondError> {
    let document = response.write();
    let breaches = AgentResponse::contract().schema().check(&document).breaches;
    if !breaches.is_empty() {
        return Err(RespondError::Breached { file: RESPONSE, breaches });
    }
    if response.request_id.as_str() != request_id {
        let other = response.request_id.as_str();
        let text = format!("the response answers request {other}, and not {request_id}");
        return Err(RespondError::NotPending(text));
    }
    // As it is written, escapes and all: larger files are not read.
    let written = format!("{document:#}\n");
    if written.len() > MOST_ANSWER {
        return Err(RespondError::TooLarge { found: written.len() });
    }
    let folder = Folder::open(project)?;
    expect(&folder, request_id)?;
    let made = folder.create(BridgeFile::Response, written.as_bytes())?;
    // Whoever has the project may have gone on meanwhile: then this answers nothing, and must not lie in
    // the way of what does.
    match expect(&folder, request_id) {
        Ok(_) => Ok(()),
        // It was taken back, and nobody has read it.
        Err(gone) if folder.take_back(BridgeFile::Response, &made) => Err(gone),
        // It is not there any more: it was consumed, and counts.
        Err(_) => Ok(()),
    }
}

fn empty(
    request: &AgentRequest,
    status: ResponseStatus,
    took: Option<Duration>,
    now: At,
) -> AgentResponse {
    AgentResponse {
        request_id: request.request_id.clone(),
        version: "1.0".to_owned(),
        status,
        response: None,
        error_message: None,
        error_type: None,
        created_at: Timestamp(now.to_string()),
        duration_seconds: took.and_then(seconds),
        metadata: None,
    }
}

/// To the millisecond.
fn seconds(took: Duration) -> Option<Number<'static>> {
    format!("{}.{:03}", took.as_secs(), took.subsec_millis()).parse().ok()
}

fn expect(folder: &Folder, request_id: &str) -> Result<AgentRequest, RespondError> {
    let request = request(folder)?;
    if request.request_id.as_str() == request_id {
        return Ok(request);
    }
    let text = format!(
        "request {request_id} is not pending; the pending request is {}",
        request.request_id
    );
    Err(RespondError::NotPending(text))
}

fn request(folder: &Folder) -> Result<AgentRequest, RespondError> {
    let bytes = folder.read(BridgeFile::Request)?.ok_or_else(|| {
        RespondError::NotPending(format!("no request is pending: there is no {REQUEST}"))
    })?;
    let document = json::parse(&bytes).map_err(RespondError::Malformed)?;
    let breached = |breaches| RespondError::Breached { file: REQUEST, breaches };
    let breaches = AgentRequest::contract().schema().check(&document).breaches;
    if !breaches.is_empty() {
        return Err(breached(breaches));
    }
    AgentRequest::read(&document).map_err(|breach| breached(vec![breach]))
}

#[cfg(test)]
mod tests;
