//! An HTTP server as an agent: one attempt is one POST.

use std::time::Instant;

use async_trait::async_trait;
use consign_engine::{
    Attempt, Data, Effect, Failure, Fault, FaultClass, Invoker, Nanos, Probe, Reply,
};
use consign_models::transport::Secret;
use reqwest::{
    Client, RequestBuilder, StatusCode, Url,
    header::{ACCEPT, CONTENT_TYPE},
};
use tokio::time::sleep;

use super::{
    Definition,
    answer::{TooMuch, excerpt, fault, leaves_open, read},
    client::{Lost, client, lost},
};
use crate::{
    address::Reach,
    outside::{Environment, Secrets, broken_off, chain, environment, hushed, quoted, size},
};

/// The invoker of an HTTP server.
pub struct HttpAgent {
    definition: Definition,
    url: Url,
    probe_url: Option<Url>,
    effect: Effect,
    client: Client,
    environment: Environment,
}

impl HttpAgent {
    /// Checks a definition. The error says what is wrong with it.
    pub fn new(definition: Definition, effect: Effect) -> Result<Self, Fault> {
        let reach = Reach { private: definition.allow_private };
        let read = |url: &str| {
            reach.url(url).map_err(|why| Fault::permanent("HTTP_AGENT_ADDRESS", why.to_string()))
        };
        let url = read(&definition.url)?;
        let probe_url = definition.probe_url.as_deref().map(read).transpose()?;
        let urls: Vec<&Url> = probe_url.iter().chain([&url]).collect();
        let client = client(&urls, reach, definition.timeout)
            .build()
            .map_err(|cause| Fault::permanent("HTTP_AGENT_CLIENT", chain(&cause)))?;
        Ok(Self { definition, url, probe_url, effect, client, environment: environment() })
    }

    /// Where the secret is looked up.
    #[must_use]
    pub fn with_environment(mut self, environment: Environment) -> Self {
        self.environment = environment;
        self
    }

    fn secret(&self) -> Result<Option<Secret>, Fault> {
        let Some(name) = &self.definition.bearer else { return Ok(None) };
        match (self.environment)(name).and_then(|value| value.into_string().ok()) {
            Some(value) if !value.is_empty() => Ok(Some(Secret::new(value))),
            _ => {
                let message = format!("the agent needs a secret: set the variable {name}");
                Err(Fault::permanent("HTTP_AGENT_KEY_MISSING", message))
            }
        }
    }

    fn signed(
        &self,
        request: RequestBuilder,
        attempt: &Attempt,
        secret: Option<&Secret>,
    ) -> RequestBuilder {
        let request = request
            .header(ACCEPT, "application/json")
            .header("idempotency-key", attempt.idempotency_key())
            .header("x-consign-run", attempt.run.as_str())
            .header("x-consign-attempt", attempt.number);
        match secret {
            Some(secret) => request.bearer_auth(secret.reveal()),
            None => request,
        }
    }

    /// Sends the request and reads the answer.
    async fn exchange(&self, attempt: &Attempt) -> Result<(Data, StatusCode), Failure> {
        let free = |fault| Failure::new(fault, Some(Nanos::ZERO));
        let secret = self.secret().map_err(free)?;
        let secrets = told(secret.as_ref());
        let request = self.client.post(self.url.clone());
        let request = request
            .header(CONTENT_TYPE, "application/json")
            .body(attempt.input.as_str().to_owned());
        let sent = self.signed(request, attempt, secret.as_ref()).send().await;
        let response = sent.map_err(|error| self.broken(lost(error)))?;
        let status = response.status();
        if !status.is_success() {
            let headers = response.headers().clone();
            let said = excerpt(response, &secrets).await;
            let fault = fault(status, &headers, &said, self.effect);
            return Err(Failure::new(fault, (!leaves_open(status)).then_some(Nanos::ZERO)));
        }
        let body = match read(response, self.definition.output).await {
            Ok(Ok(body)) => body,
            Ok(Err(TooMuch)) => {
                let message = format!(
                    "the agent's server sent more than {}; let it send less, or raise its limit on \
                     output",
                    size(self.definition.output)
                );
                return Err(self.wasted("HTTP_AGENT_OUTPUT", message));
            }
            Err(error) => return Err(self.broken(lost(error))),
        };
        let begins = quoted(&body, &secrets);
        let begins = begins.map_or_else(String::new, |words| format!("; it begins with {words}"));
        let text = String::from_utf8(body).map_err(|_| "it is not UTF-8".to_owned());
        let parsed = text.and_then(|text| Data::parse(text).map_err(|why| why.to_string()));
        let output = parsed.map_err(|why| {
            let message = format!("the answer of the agent's server is not JSON: {why}{begins}");
            self.wasted("HTTP_AGENT_INVALID", message)
        })?;
        Ok((hushed(output, &secrets), status))
    }

    /// The failure of a call that was perhaps done, but whose answer cannot be used.
    fn wasted(&self, code: &'static str, message: String) -> Failure {
        Failure::new(broken_off(self.effect, FaultClass::Permanent, code, message), None)
    }

    fn broken(&self, lost: Lost) -> Failure {
        match lost {
            Lost::Refused(why) => {
                Failure::new(Fault::permanent("HTTP_AGENT_ADDRESS", why), Some(Nanos::ZERO))
            }
            Lost::Unsent(why) => {
                let message = format!("could not reach the agent's server: {why}");
                let fault = Fault::transient("HTTP_AGENT_UNREACHED", message);
                Failure::new(fault, Some(Nanos::ZERO))
            }
            Lost::Unknown(why) => {
                let message = format!(
                    "the connection to the agent's server was lost before it answered: {why}"
                );
                self.passing("HTTP_AGENT_LOST", message)
            }
        }
    }

    fn passing(&self, code: &'static str, message: String) -> Failure {
        Failure::new(broken_off(self.effect, FaultClass::Transient, code, message), None)
    }

    fn note(&self, status: Option<StatusCode>, began: Instant) -> Data {
        Data::of(&serde_json::json!({
            "status": status.map(|status| status.as_u16()),
            "duration_ms": u64::try_from(began.elapsed().as_millis()).unwrap_or(u64::MAX),
            "cost_assumed": true,
        }))
    }

    async fn ask(&self, attempt: &Attempt) -> Option<Probe> {
        let mut url = self.probe_url.clone()?;
        url.query_pairs_mut().append_pair("idempotency_key", &attempt.idempotency_key());
        let secret = self.secret().ok()?;
        let request = self.signed(self.client.get(url), attempt, secret.as_ref());
        let response = request.send().await.ok()?;
        match response.status() {
            StatusCode::NOT_FOUND => Some(Probe::NotDone),
            status @ StatusCode::OK => {
                let began = Instant::now();
                let body = read(response, self.definition.output).await.ok()?.ok()?;
                let output = Data::parse(String::from_utf8(body).ok()?).ok()?;
                let output = hushed(output, &told(secret.as_ref()));
                let reply = Reply::new(output, self.definition.max_cost);
                Some(Probe::Done(reply.with_note(self.note(Some(status), began))))
            }
            _ => None,
        }
    }
}

#[async_trait]
impl Invoker for HttpAgent {
    fn worst_case(&self, _input: &Data) -> Option<Nanos> {
        Some(self.definition.max_cost)
    }

    async fn invoke(&self, attempt: Attempt) -> Result<Reply, Failure> {
        let began = Instant::now();
        let timeout = self.definition.timeout;
        let done = tokio::select! {
            biased;
            done = self.exchange(&attempt) => done,
            () = attempt.cancelled() => Err(self.passing(
                "HTTP_AGENT_CANCELLED",
                "the request was cancelled because its result is no longer needed".to_owned(),
            )),
            () = sleep(timeout) => Err(self.passing(
                "HTTP_AGENT_TIMEOUT",
                format!("the agent's server did not answer within {timeout:?}"),
            )),
        };
        match done {
            Ok((output, status)) => {
                let reply = Reply::new(output, self.definition.max_cost);
                Ok(reply.with_note(self.note(Some(status), began)))
            }
            Err(failure) => Err(failure.with_note(self.note(None, began))),
        }
    }

    async fn probe(&self, attempt: Attempt) -> Probe {
        self.ask(&attempt).await.unwrap_or(Probe::Unknown)
    }
}

/// The secrets that were sent to the server and must not appear in its answer.
fn told(secret: Option<&Secret>) -> Secrets {
    secret.iter().map(|secret| secret.reveal().to_owned()).collect()
}
