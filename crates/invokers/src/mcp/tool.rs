//! A tool of an MCP server as an agent: one attempt is one session with one call.

use std::{
    path::PathBuf,
    sync::{Arc, OnceLock, atomic::AtomicU64},
    time::{Duration, Instant},
};

use async_trait::async_trait;
use consign_engine::{Attempt, Data, Effect, Failure, Fault, FaultClass, Invoker, Nanos, Reply};
use reqwest::{
    Client, Url,
    header::{HeaderName, HeaderValue},
};
use rmcp::{
    model::{CallToolResult, JsonObject},
    transport::{
        StreamableHttpClientTransport, async_rw::AsyncRwTransport,
        streamable_http_client::StreamableHttpClientTransportConfig,
    },
};
use tokio::time::{sleep, timeout};

use super::{
    meter::Meter,
    result::{EXCERPT, arguments, output},
    session::{PARTING, Sent, Trouble, talk},
    web::Web,
};
use crate::{
    address::Reach,
    http,
    outside::{Environment, Heard, Secrets, broken_off, chain, environment, hushed, last, size},
    process::{self, End, Start, Stopping, SupervisedChild},
};

/// The server that has the tool.
pub enum Server {
    /// A program with MCP on stdin and stdout. For `launcher` see
    /// [`Subprocess`](process::Subprocess).
    Program { definition: process::Definition, launcher: PathBuf },
    /// A server with streamable HTTP. It is never probed.
    Web(http::Definition),
}

enum Line {
    Program { definition: process::Definition, launcher: PathBuf },
    Web { definition: http::Definition, url: Url, client: Client },
}

/// The invoker of an MCP tool.
pub struct McpTool {
    line: Line,
    tool: String,
    effect: Effect,
    environment: Environment,
}

impl McpTool {
    /// Checks a definition. The error says what is wrong with it.
    pub fn new(server: Server, tool: impl Into<String>, effect: Effect) -> Result<Self, Fault> {
        let line = match server {
            Server::Program { definition, launcher } => Line::Program { definition, launcher },
            Server::Web(definition) => {
                let reach = Reach { private: definition.allow_private };
                let bad = |why: String| Fault::permanent("MCP_ADDRESS", why);
                let url = reach.url(&definition.url).map_err(|why| bad(why.to_string()))?;
                // A connection whose last answer was not read to its end is slow to be used again.
                let client = http::client(&[&url], reach, definition.timeout);
                let client = client.pool_max_idle_per_host(0).build();
                let client = client.map_err(|cause| bad(chain(&cause)))?;
                Line::Web { definition, url, client }
            }
        };
        Ok(Self { line, tool: tool.into(), effect, environment: environment() })
    }

    /// Where variables and secrets are looked up.
    #[must_use]
    pub fn with_environment(mut self, environment: Environment) -> Self {
        self.environment = environment;
        self
    }

    fn max_cost(&self) -> Nanos {
        match &self.line {
            Line::Program { definition, .. } => definition.max_cost,
            Line::Web { definition, .. } => definition.max_cost,
        }
    }

    /// The secrets that the server is given and that must not appear in a journal.
    fn secrets(&self) -> Secrets {
        let named: Vec<&String> = match &self.line {
            Line::Program { definition, .. } => definition.env.iter().collect(),
            Line::Web { definition, .. } => definition.bearer.iter().collect(),
        };
        let named =
            named.iter().filter(|name| !process::Definition::ALWAYS.contains(&name.as_str()));
        named.filter_map(|name| (self.environment)(name)?.into_string().ok()).collect()
    }

    async fn over_pipes(
        &self,
        definition: &process::Definition,
        launcher: &PathBuf,
        attempt: &Attempt,
        arguments: JsonObject,
    ) -> (Result<CallToolResult, Trouble>, Heard) {
        let start = Start {
            launcher,
            command: &definition.command,
            directory: definition.directory.as_deref(),
            env: process::variables(&definition.env, &self.environment, attempt),
            memory: definition.memory,
        };
        let not_started = |why: String| {
            let program = definition.command.first().map_or("nothing", String::as_str);
            let message = format!("could not start the server {program:?}: {why}");
            Trouble::Unbegun(Fault::permanent("MCP_NOT_STARTED", message))
        };
        let (mut kept, stdin, stdout) = match SupervisedChild::start(start) {
            Ok(kept) => kept,
            Err(cause) => return (Err(not_started(cause.to_string())), Heard::default()),
        };
        let meter = Meter::new(definition.output);
        let most = usize::try_from(definition.output).unwrap_or(usize::MAX);
        let transport = AsyncRwTransport::new_client(meter.listen(stdout), stdin)
            .with_max_line_length(most.saturating_add(EXCERPT));
        let peak = AtomicU64::new(0);
        let (keeper, sent) = (kept.keeper(), Sent::default());
        let mut result = tokio::select! {
            biased;
            result = talk(transport, &self.tool, arguments, &sent) => result,
            cut = process::watch(keeper, definition, &peak) => {
                Err(self.ended(&sent, |effect| process::cut_off(cut, definition, effect)))
            }
            trouble = self.until_halted(attempt, definition.timeout, &sent) => Err(trouble),
        };
        if meter.is_spent() {
            result = Err(self.too_much(definition.output, &sent));
        }
        // Its stdin is closed by now, and a good server ends by itself.
        let status = match (&result, timeout(PARTING, kept.exited()).await) {
            (_, Ok(status)) => status,
            (Ok(_), Err(_)) => kept.stop(Stopping::Kindly).await,
            (Err(_), Err(_)) => kept.stop(Stopping::AtOnce).await,
        };
        let (end, stderr) = kept.settle(status).await;
        if let (Some(End::NotStarted(why)), Err(_)) = (end, &result) {
            result = Err(not_started(why));
        }
        (result, stderr)
    }

    async fn over_web(
        &self,
        (definition, url, client): (&http::Definition, &Url, &Client),
        attempt: &Attempt,
        arguments: JsonObject,
    ) -> Result<CallToolResult, Trouble> {
        let (meter, sent) = (Meter::new(definition.output), Sent::default());
        let (refused, broke) = (Arc::new(OnceLock::new()), Arc::new(OnceLock::new()));
        let web = Web {
            client: client.clone(),
            meter: meter.clone(),
            refused: refused.clone(),
            sent: sent.clone(),
            broke: broke.clone(),
        };
        let mut config = StreamableHttpClientTransportConfig::with_uri(url.as_str());
        // A second session would be a second attempt.
        config.reinit_on_expired_session = false;
        if let Some(name) = &definition.bearer {
            let secret = (self.environment)(name).and_then(|value| value.into_string().ok());
            config.auth_header =
                Some(secret.filter(|secret| !secret.is_empty()).ok_or_else(|| {
                    let message = format!("the server needs a secret: set the variable {name}");
                    Trouble::Unbegun(Fault::permanent("MCP_KEY_MISSING", message))
                })?);
        }
        let told = [
            ("idempotency-key", attempt.idempotency_key()),
            ("x-consign-run", attempt.run.to_string()),
            ("x-consign-attempt", attempt.number.to_string()),
        ];
        for (name, value) in told {
            if let Ok(value) = HeaderValue::from_str(&value) {
                config.custom_headers.insert(HeaderName::from_static(name), value);
            }
        }
        let transport = StreamableHttpClientTransport::with_client(web, config);
        let result = tokio::select! {
            biased;
            result = talk(transport, &self.tool, arguments, &sent) => result,
            trouble = self.until_halted(attempt, definition.timeout, &sent) => Err(trouble),
        };
        match (result, refused.get()) {
            (Err(_), _) if meter.is_spent() => Err(self.too_much(definition.output, &sent)),
            (Err(Trouble::NoSession(_)), Some(why)) => {
                Err(Trouble::Unbegun(Fault::permanent("MCP_REFUSED", why.clone())))
            }
            (result, _) => result.map_err(|trouble| match broke.get() {
                Some(why) => trouble.because(why),
                None => trouble,
            }),
        }
    }

    async fn until_halted(&self, attempt: &Attempt, within: Duration, sent: &Sent) -> Trouble {
        let (code, message) = tokio::select! {
            biased;
            () = attempt.cancelled() => {
                ("MCP_CANCELLED", "the call was cancelled because its result is no longer needed".to_owned())
            }
            () = sleep(within) => {
                if !sent.get() {
                    return Trouble::NoSession(format!("no handshake within {within:?}"));
                }
                ("MCP_TIMEOUT", format!("the tool did not answer within {within:?}"))
            }
        };
        self.ended(sent, |effect| broken_off(effect, FaultClass::Transient, code, message))
    }

    fn too_much(&self, most: u64, sent: &Sent) -> Trouble {
        let message = format!(
            "the server sent more than {}; let the tool return less, or raise its limit on output",
            size(most)
        );
        let class = FaultClass::Permanent;
        self.ended(sent, |effect| broken_off(effect, class, "MCP_OUTPUT", message))
    }

    /// The trouble of a session that this side ended. A call that was not sent has had no effect,
    /// whatever its effect class.
    fn ended(&self, sent: &Sent, fault: impl FnOnce(Effect) -> Fault) -> Trouble {
        match sent.get() {
            true => Trouble::Ended(fault(self.effect)),
            false => Trouble::Unbegun(fault(Effect::Pure)),
        }
    }
}

#[async_trait]
impl Invoker for McpTool {
    fn worst_case(&self, _input: &Data) -> Option<Nanos> {
        Some(self.max_cost())
    }

    async fn invoke(&self, attempt: Attempt) -> Result<Reply, Failure> {
        let began = Instant::now();
        let arguments =
            arguments(&attempt.input).map_err(|fault| Failure::new(fault, Some(Nanos::ZERO)))?;
        let (result, stderr) = match &self.line {
            Line::Program { definition, launcher } => {
                let (result, stderr) =
                    self.over_pipes(definition, launcher, &attempt, arguments).await;
                (result, Some(stderr))
            }
            Line::Web { definition, url, client } => {
                (self.over_web((definition, url, client), &attempt, arguments).await, None)
            }
        };
        let secrets = self.secrets();
        let note = Data::of(&serde_json::json!({
            "stderr": stderr.map(|stderr| last(&stderr, process::EVIDENCE, &secrets)),
            "duration_ms": u64::try_from(began.elapsed().as_millis()).unwrap_or(u64::MAX),
            "cost_assumed": true,
        }));
        let result = result.map_err(|trouble| trouble.failure(&self.tool, self.effect, &secrets));
        let output = result
            .and_then(|result| output(result, &secrets).map_err(|fault| Failure::new(fault, None)));
        match output {
            Ok(output) => {
                let output = match &self.line {
                    Line::Web { .. } => hushed(output, &secrets),
                    // A program's variables may be anything, and what it makes of them is its output.
                    Line::Program { .. } => output,
                };
                Ok(Reply::new(output, self.max_cost()).with_note(note))
            }
            Err(failure) => Err(failure.with_note(note)),
        }
    }
}
