//! Answering what a creation asks, through the file that it reads.

use std::{path::Path, time::Duration};

use consign_contracts::{
    bridge::{AgentRequest, AgentResponse, ErrorType, ResponseMetadata},
    json::{Number, Object},
    wire::Integer,
};
use consign_template::{
    answers::{self, Unusable},
    folder::Folder,
    respond,
};

use super::project::{enhanced, open, request};
use crate::{
    error::{Error, Refused},
    machine::now,
};

/// What an agent came to.
#[derive(Clone, Debug)]
pub enum AgentSaid {
    /// Its answer: JSON, in a code fence or among prose if need be. One that would not count is refused, unless it is
    /// to be written unchecked.
    Text { text: String, unchecked: bool },
    /// It failed.
    Failed { kind: ErrorType, why: Option<String> },
    /// No answer will come.
    GivenUp { why: Option<String> },
}

/// An answer, and what is known of how it came about.
#[derive(Clone, Debug)]
pub struct GivenAnswer {
    pub said: AgentSaid,
    pub model: Option<String>,
    pub tokens: Option<u32>,
    /// How sure the agent is, from 0 to 1; else the answer's own says so.
    pub confidence: Option<f64>,
    /// How long it took; else the time since the request.
    pub took: Option<Duration>,
}

/// A request in a project that can be answered.
pub struct OpenRequest {
    folder: Folder,
    request: AgentRequest,
}

impl OpenRequest {
    /// Looks for the request in a project.
    pub fn find(project: &Path) -> Result<Self, Error> {
        let folder = open(project)?;
        let request = request(&folder)?.ok_or_else(|| {
            let told = format!("nothing is asked in {}", folder.path().display());
            Refused::new("NOT_PENDING", told)
                .hint("`consign template create` asks; `consign inbox` lists")
        })?;
        Ok(Self { folder, request })
    }

    #[must_use]
    pub fn request(&self) -> &AgentRequest {
        &self.request
    }

    /// The root of the project, with links followed.
    #[must_use]
    pub fn project(&self) -> &Path {
        self.folder.path()
    }

    /// Answers it. Of two answers the first counts: the second is refused.
    pub fn answer(&self, given: GivenAnswer) -> Result<AgentResponse, Error> {
        let response = response(&self.folder, &self.request, given)?;
        respond::respond(self.folder.path(), self.request.request_id.as_str(), &response)?;
        Ok(response)
    }
}

fn response(
    folder: &Folder,
    request: &AgentRequest,
    given: GivenAnswer,
) -> Result<AgentResponse, Error> {
    let took = given.took.or_else(|| respond::since(request, now()));
    let failure = match given.said.clone() {
        AgentSaid::Text { text, unchecked } => {
            return said(folder, request, &given, (text, unchecked), took);
        }
        AgentSaid::Failed { kind, why } => respond::fail(request, kind, why, took, now()),
        AgentSaid::GivenUp { why } => {
            let why = why.as_deref().unwrap_or("no answer will come");
            respond::give_up(request, why, took, now())
        }
    };
    Ok(AgentResponse { metadata: metadata(&given, given.confidence), ..failure })
}

fn said(
    folder: &Folder,
    request: &AgentRequest,
    given: &GivenAnswer,
    (text, unchecked): (String, bool),
    took: Option<Duration>,
) -> Result<AgentResponse, Error> {
    let answer = match answers::read(request.phase_name, &text) {
        Ok(answer) => Some(answer),
        Err(_) if unchecked => None,
        Err(unusable) => return Err(refused(&unusable, request).into()),
    };
    let agent = enhanced(folder);
    let worth = answers::worth(request.phase_name, agent.as_deref(), &text, given.confidence);
    if let Err(why) = worth
        && !unchecked
    {
        let refused = Refused::new("WOULD_NOT_COUNT", format!("this would be done without: {why}"))
            .hint("--confidence says how sure the agent is, where its answer does not; --unchecked hands it over all the same");
        return Err(refused.into());
    }
    let sure = given.confidence.or_else(|| answer.as_ref().and_then(answers::Answer::overall));
    Ok(respond::wrap(request, text, took, metadata(given, sure), now())?)
}

fn metadata(given: &GivenAnswer, confidence: Option<f64>) -> Option<ResponseMetadata> {
    let number = |value: f64| Number::try_from(value).ok();
    let metadata = ResponseMetadata {
        model: given.model.clone(),
        tokens_used: given.tokens.map(|tokens| Integer::from(i64::from(tokens))),
        confidence: confidence.and_then(number),
        extra: Object::new(),
    };
    let empty = metadata.model.is_none() && metadata.tokens_used.is_none();
    (!empty || metadata.confidence.is_some()).then_some(metadata)
}

fn refused(unusable: &Unusable, request: &AgentRequest) -> Refused {
    let contract = format!("bridge/response.{}", request.phase_name);
    match unusable {
        Unusable::NotJson(why) => {
            Refused::new("PARSE_ERROR", format!("there is no JSON in what the agent said: {why}"))
        }
        Unusable::Breaks(breaches) => {
            Refused::new("VALIDATION_ERROR", format!("what the agent said breaks {contract}"))
                .listing(breaches.iter().take(10).cloned())
        }
    }
    .hint(format!(
        "`consign contracts show {contract}` has the form; --unchecked hands it over all the same, and it will be done without"
    ))
}
