//! Calls a model once: one call is one request.
//!
//! [`Client::ask`] sends a request and returns the answer, or why there is none and what that may
//! have cost. It never retries: that is for the engine, which accounts for the cost. It waits a
//! bounded time and reads a bounded number of bytes, and nothing that it returns contains the key.

mod clean;
mod read;
mod refused;
#[cfg(test)]
mod tests;
mod wait;

use std::{sync::Arc, time::Duration};

use consign_contracts::authoring::ErrorCode;
use reqwest::Url;
use tokio::time::{Instant, timeout};
use tracing::debug;

use crate::{
    ModelName, Trouble,
    chat::{Answer, Request, Stop},
    transport::{Outgoing, Secret, Transport},
    wire,
};

pub use clean::SHORTEST_IN_ANSWERS;
use clean::{Deltas, cleaned};
pub(crate) use refused::SHORTEST_KEY;
pub use refused::{Charged, Refused};

/// A client for models.
#[derive(Clone)]
pub struct Client {
    transport: Arc<dyn Transport>,
    patience: Patience,
}

/// How long an answer may take, and how long it may be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Patience {
    /// From the request to the first byte of the answer. Models think before they write.
    pub first_byte: Duration,
    /// From one piece of an answer to the next.
    pub between_chunks: Duration,
    pub max_body: usize,
}

impl Default for Patience {
    fn default() -> Self {
        Self {
            first_byte: Duration::from_secs(300),
            between_chunks: Duration::from_secs(60),
            max_body: 16 << 20,
        }
    }
}

/// The model to call, with its key and address.
#[derive(Clone, Debug)]
pub struct Target {
    pub name: ModelName,
    /// The base URL, if it is not the provider's own.
    pub base_url: Option<String>,
    pub key: Option<Secret>,
}

impl Client {
    #[must_use]
    pub fn new(transport: Arc<dyn Transport>) -> Self {
        Self { transport, patience: Patience::default() }
    }

    #[must_use]
    pub fn with_patience(mut self, patience: Patience) -> Self {
        self.patience = patience;
        self
    }

    /// Sends one request. `on_delta` is called with each new piece of text of a streamed answer.
    pub async fn ask(
        &self,
        target: &Target,
        request: &Request,
        on_delta: &mut (dyn FnMut(&str) + Send),
    ) -> Result<Answer, Refused> {
        let outgoing = outgoing(target, request).map_err(Refused::free);
        let mut deltas = Deltas::new(target);
        let answer = match outgoing {
            Ok(outgoing) => {
                let mut pass = |piece: &str| deltas.pass(piece, on_delta);
                self.exchange(target, request, outgoing, &mut pass).await
            }
            Err(refused) => Err(refused),
        };
        // The only way out for words of the other side, but for those that `deltas` let pass.
        let answer = answer
            .and_then(|answer| checked(answer, request))
            .map(|answer| cleaned(answer, target))
            .map_err(|refused| refused.cleaned(target));
        tell(target, &answer);
        if answer.is_ok() {
            deltas.finish(on_delta);
        }
        answer
    }

    async fn exchange(
        &self,
        target: &Target,
        request: &Request,
        outgoing: Outgoing,
        on_delta: &mut (dyn FnMut(&str) + Send),
    ) -> Result<Answer, Refused> {
        let provider = target.name.provider;
        let Patience { first_byte, between_chunks, max_body } = self.patience;
        let until = Instant::now() + first_byte;
        let sent = timeout(first_byte, self.transport.send(outgoing)).await;
        let incoming = sent
            .map_err(|_| Refused::late(format!("no answer within {first_byte:?}")))?
            .map_err(Refused::broken)?;
        let head = read::Head::of(&incoming);
        let mut body = read::Body::new(incoming.body, until, between_chunks);
        if !(200..300).contains(&head.status) {
            let said = body.beginning().await;
            let trouble = wire::refusal(provider, head.status, head.wait, &said);
            return Err(Refused::by_status(head.status, trouble));
        }
        match head.kind(request.stream)? {
            read::Kind::Whole => {
                let bytes = body.whole(max_body).await?;
                let answer = wire::answer(provider, &bytes).map_err(Refused::unknown)?;
                if request.stream && !answer.text.is_empty() {
                    on_delta(&answer.text);
                }
                Ok(answer)
            }
            read::Kind::Stream => {
                let reader = wire::Reader::new(provider, max_body);
                body.stream(reader, max_body, on_delta).await
            }
        }
    }
}

/// Tells the log of one request: who was asked and what was counted, and nothing that was said.
fn tell(target: &Target, answer: &Result<Answer, Refused>) {
    let (provider, model) = (target.name.provider, &*target.name.model);
    match answer {
        Ok(answer) => {
            let input_tokens = answer.usage.map(|usage| usage.input_tokens);
            let output_tokens = answer.usage.map(|usage| usage.output_tokens);
            debug!(%provider, model, input_tokens, output_tokens, "model answered");
        }
        Err(Refused { trouble, .. }) => {
            let (code, status) = (trouble.code.as_str(), trouble.status);
            debug!(%provider, model, code, status, "model gave no answer");
        }
    }
}

fn outgoing(target: &Target, request: &Request) -> Result<Outgoing, Trouble> {
    let provider = target.name.provider;
    let key = target.key.as_ref().map(|key| key.reveal().trim()).filter(|key| !key.is_empty());
    if key.is_none() && provider.needs_key() {
        let what = format!("there is no key for {provider}");
        return Err(Trouble::lasting(ErrorCode::AiKeyMissing, what));
    }
    if key.is_some_and(|key| !key.bytes().all(|byte| byte.is_ascii_graphic())) {
        let what = format!("the key for {provider} has characters that are not allowed in a key");
        return Err(Trouble::lasting(ErrorCode::AiAuthError, what));
    }
    let base = target.base_url.as_deref().or(provider.base_url()).unwrap_or_default();
    let fit = Url::parse(base).ok().filter(|url| {
        let plain = url.query().is_none() && url.fragment().is_none();
        let no_user = url.username().is_empty() && url.password().is_none();
        matches!(url.scheme(), "http" | "https") && url.has_host() && plain && no_user
    });
    if fit.is_none() {
        let what = format!("{provider} needs a base URL such as http://127.0.0.1:8000/v1");
        return Err(Trouble::lasting(ErrorCode::AiProviderError, what));
    }
    // A base URL without a path means the provider's own path on that host.
    let usual = provider.base_url().and_then(|url| Url::parse(url).ok());
    let path = usual.as_ref().map_or("/v1", Url::path);
    let base = match fit {
        Some(url) if url.path() == "/" => format!("{}{path}", base.trim_end_matches('/')),
        _ => base.to_owned(),
    };
    let mut outgoing = wire::request(&target.name, &base, request);
    outgoing.secret = key.map(|key| wire::secret_header(provider, &Secret::new(key.to_owned())));
    Ok(outgoing)
}

/// Refuses an answer that is empty, or that the provider's safety rules stopped.
fn checked(answer: Answer, request: &Request) -> Result<Answer, Refused> {
    let silent = answer.text.trim().is_empty() && answer.tool_calls.is_empty();
    let trouble = match answer.stop {
        Stop::Refused => {
            let what = format!("the provider refused to answer: {}", answer.text);
            Trouble::lasting(ErrorCode::AiProviderError, what).refused()
        }
        // It thought for as long as it could. It would do so again, at the same price.
        Stop::Length if silent => {
            let what = format!("the model used all {} tokens for reasoning", request.max_tokens);
            Trouble::lasting(ErrorCode::AiProviderError, what)
        }
        Stop::End | Stop::Tools if silent => {
            Trouble::passing(ErrorCode::AiNetworkError, "the answer is empty").empty()
        }
        Stop::End | Stop::Tools | Stop::Length => return Ok(answer),
    };
    let charged = answer.usage.map_or(Charged::Unknown, Charged::Usage);
    Err(Refused { trouble, charged })
}
