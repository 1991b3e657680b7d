//! A model as an agent.
//!
//! One attempt is one request. An answer that breaks its contract climbs the ladder: it is mended if
//! that invents nothing; the model is asked again with its errors; the next model is asked; a person
//! is asked. Each rung is an attempt of its own, with its own reservation, and what one rung leaves for
//! the next is in the journal: a crash loses no rung and pays for none twice.

mod ask;
mod climb;
mod handed;
mod source;

use std::{sync::Arc, time::Duration};

use async_trait::async_trait;
use consign_contracts::schema::Schema;
use consign_engine::{
    Attempt, Bound, Bridged, Data, Failure, Fault, Invoker, Nanos, Order, Quote, Reply, Settings,
};
use consign_models::{
    ModelName, Models,
    chat::{AnswerSchema, File, Message, Request, Tool},
    record::Replay,
    tokens,
    wire::with_files,
};
use serde_json::json;

use self::{climb::Stand, handed::Handed, source::Source};
use crate::{
    prompt::PromptTemplate,
    script::{Scripts, note_invocation},
    settings::RunSettings,
};

/// The definition of a model agent.
#[derive(Clone, Debug)]
pub struct ModelSpec {
    /// The agent's own name.
    pub agent: Arc<str>,
    pub asking: Asking,
    pub output: Option<Output>,
    /// How long an attempt may take. Also the deadline for an answer from outside.
    pub timeout: Duration,
}

/// Which model is called, and how.
#[derive(Clone, Debug)]
pub struct Asking {
    /// The model and those to fall back to, or what replaces them.
    pub source: Source,
    pub system: Option<String>,
    pub template: PromptTemplate,
    pub files: Vec<File>,
    pub tools: Vec<Tool>,
    pub temperature: f64,
    pub max_tokens: u32,
    pub stream: bool,
    pub ladder: Ladder,
    /// If set, the only models that a run may choose.
    pub allow: Option<Vec<ModelName>>,
    /// The base URL of its provider, if it is not the configured one.
    pub base_url: Option<String>,
}

pub use self::source::Source as ModelSource;

/// The contract of its answers.
#[derive(Clone, Debug)]
pub struct Output {
    pub schema: Arc<Schema>,
    /// The schema as it was written.
    pub source: Data,
}

/// The rungs that an answer may climb when it breaks its contract.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ladder {
    pub mend: bool,
    pub ask_again: bool,
    pub fall_back: bool,
    pub person: bool,
}

impl Default for Ladder {
    fn default() -> Self {
        Self { mend: true, ask_again: true, fall_back: true, person: true }
    }
}

/// The invoker of a model agent.
pub struct ModelAgent {
    models: Arc<Models>,
    /// The scripts that may replace models.
    scripts: Arc<Scripts>,
    spec: ModelSpec,
}

/// An attempt that is ready to be sent.
struct Prepared {
    name: ModelName,
    request: Request,
    stand: Stand,
}

impl ModelAgent {
    #[must_use]
    pub fn new(models: Arc<Models>, scripts: Arc<Scripts>, spec: ModelSpec) -> Self {
        Self { models, scripts, spec }
    }

    /// Where the answers of a run come from.
    fn source(&self, settings: &Settings) -> Result<Source, Fault> {
        let settings = RunSettings::of(settings)?;
        if let Some(script) = settings.script {
            return Ok(Source::Script(script));
        }
        let Some(named) = settings.model else { return Ok(self.spec.asking.source.clone()) };
        let source = Source::read(&named, &[]).map_err(|why| invalid(&why))?;
        if let (Source::Models(chain), Some(allow)) = (&source, &self.spec.asking.allow)
            && let Some(name) = chain.iter().find(|name| !allow.contains(name))
        {
            let allowed: Vec<_> = allow.iter().map(ToString::to_string).collect();
            let what = format!("{name} is not allowed; allowed are {}", allowed.join(", "));
            let code = consign_contracts::authoring::ErrorCode::ModelNotAllowed;
            return Err(consign_models::Trouble::lasting(code, what).fault());
        }
        Ok(source)
    }

    fn prompt(&self, input: &Data) -> Result<String, Fault> {
        self.spec
            .asking
            .template
            .fill(input)
            .map_err(|why| Fault::permanent("PROMPT_INCOMPLETE", why))
    }

    fn prepare(
        &self,
        chain: &[ModelName],
        input: &Data,
        handed: Option<&Data>,
    ) -> Result<Prepared, Fault> {
        let prompt = self.prompt(input)?;
        let handed = Handed::read(handed);
        let at = handed.model.min(chain.len().saturating_sub(1));
        let name = chain.get(at).ok_or_else(|| invalid("it names no model"))?.clone();
        let asking = &self.spec.asking;
        let mut messages = vec![Message::User { text: prompt, files: asking.files.clone() }];
        if let Some(again) = &handed.again {
            messages
                .push(Message::Assistant { text: again.answer.clone(), tool_calls: Vec::new() });
            messages.push(Message::user(&again.errors));
        }
        let request = Request {
            system: asking.system.clone(),
            messages,
            tools: asking.tools.clone(),
            schema: self.spec.output.as_ref().map(|output| AnswerSchema {
                name: "answer".to_owned(),
                schema: output.source.clone(),
            }),
            temperature: asking.temperature,
            max_tokens: asking.max_tokens,
            stream: asking.stream,
        };
        let others = &chain[at + 1..];
        let elsewhere = others.iter().any(|other| other.provider != name.provider);
        let stand = Stand { handed, name: name.to_string(), others: others.len(), elsewhere };
        Ok(Prepared { name, request, stand })
    }

    /// The most that a request can cost, and the estimate that this is worked out from.
    fn price(&self, name: &ModelName, request: &Request) -> (Option<Nanos>, Data) {
        let estimate = tokens::worst_input(name, request);
        let (input, output) = (estimate.input_tokens, u64::from(request.max_tokens));
        let cost = self.models.prices().of(name).map(|price| price.worst(input, output));
        let note = json!({
            "model": name.to_string(),
            "input_tokens": input,
            "exact": estimate.exact,
            "max_output_tokens": output,
        });
        (cost, Data::of(&note))
    }
}

#[async_trait]
impl Invoker for ModelAgent {
    fn worst_case(&self, input: &Data) -> Option<Nanos> {
        let settings = Settings::default();
        self.quote(&Order { input, settings: &settings, handed: None }).cost
    }

    fn quote(&self, order: &Order<'_>) -> Quote {
        let quoted = |cost, note| Quote { cost, note: Some(note), ..Quote::default() };
        let free = |note| quoted(Some(Nanos::ZERO), Data::of(&note));
        match self.source(order.settings) {
            Ok(Source::Models(chain)) => {
                match self.prepare(&chain, order.input, order.handed) {
                    Ok(prepared) => {
                        let (cost, note) = self.price(&prepared.name, &prepared.request);
                        quoted(cost, note)
                    }
                    // It will fail before anything is sent.
                    Err(_) => free(json!({})),
                }
            }
            Ok(Source::Script(path)) => {
                let worst = self.scripts.worst(&path, &self.spec.agent);
                quoted(Some(worst), Data::of(&json!({ "scripted": true })))
            }
            Ok(Source::Replay(_)) => free(json!({ "replayed": true })),
            // No service charges for an answer from outside.
            Ok(Source::Bridge) => Quote::of(Nanos::ZERO),
            Err(_) => free(json!({})),
        }
    }

    fn bound(&self, input: &Data, settings: &Settings, tries: u32) -> Bound {
        let tries = u64::from(tries);
        let asks_again = self.spec.asking.ladder.ask_again && self.spec.output.is_some();
        let Ok(Source::Models(chain)) = self.source(settings) else {
            if let Ok(Source::Bridge) = self.source(settings) {
                return Bound { cost: Some(Nanos::ZERO), calls: Some(1) };
            }
            let models = match self.source(settings) {
                Ok(Source::Replay(path)) => Replay::open(&path)
                    .and_then(|replay| replay.models())
                    .map_or(1, |all| all.len()),
                Ok(_) | Err(_) => 1,
            };
            let calls = tries * (models as u64 + u64::from(asks_again));
            let order = Order { input, settings, handed: None };
            let cost = self.quote(&order).cost.map(|cost| cost.times(calls));
            return Bound { cost, calls: Some(calls) };
        };
        // It is asked again once, whichever model that happens to.
        let bounds: Option<Vec<_>> =
            (0..chain.len()).map(|model| self.bound_of(&chain, model, input)).collect();
        let rungs = chain.len() + usize::from(asks_again);
        let cost = bounds.map(|bounds| {
            let first: Nanos = bounds.iter().map(|(first, _)| *first).sum();
            let again = bounds.iter().map(|(_, again)| *again).max().filter(|_| asks_again);
            (first + again.unwrap_or_default()).times(tries)
        });
        Bound { cost, calls: Some(tries.saturating_mul(rungs as u64)) }
    }

    fn bridge(&self, input: &Data, settings: &Settings) -> Option<Bridged> {
        let Ok(Source::Bridge) = self.source(settings) else { return None };
        // Whoever answers is better told the input as it is than nothing.
        let prompt = self.prompt(input).unwrap_or_else(|_| input.as_str().to_owned());
        let prompt = with_files(&prompt, &self.spec.asking.files);
        let prompt = match &self.spec.asking.system {
            Some(system) => format!("{system}\n\n{prompt}"),
            None => prompt.into_owned(),
        };
        let output = self.spec.output.as_ref();
        let schema = output.map_or_else(|| Data::of(&json!({})), |output| output.source.clone());
        Some(Bridged { prompt, schema, deadline: None })
    }

    async fn invoke(&self, attempt: Attempt) -> Result<Reply, Failure> {
        let unpaid = |fault| Failure::new(fault, Some(Nanos::ZERO));
        let source = self.source(&attempt.settings).map_err(unpaid)?;
        let settings = RunSettings::of(&attempt.settings).map_err(unpaid)?;
        let prompt = self.prompt(&attempt.input).map_err(unpaid)?;
        if let Some(path) = &settings.invocations {
            note_invocation(path, &attempt, &prompt, self.spec.timeout).map_err(unpaid)?;
        }
        match source {
            Source::Models(chain) => {
                let handed = attempt.handed.as_ref();
                let prepared = self.prepare(&chain, &attempt.input, handed).map_err(unpaid)?;
                self.ask(&attempt, prepared, settings.record.as_deref()).await
            }
            Source::Replay(path) => {
                let replay = self.models.replay(&path, &attempt.run).map_err(unpaid)?;
                let chain = replay.models().map_err(|why| unpaid(invalid(&why)))?;
                let handed = attempt.handed.as_ref();
                let prepared = self.prepare(&chain, &attempt.input, handed).map_err(unpaid)?;
                self.replay(&attempt, prepared, replay).await
            }
            Source::Script(path) => {
                let line = self.scripts.play(&path, &attempt).await?;
                attempt.says.text(line.response.text());
                self.judge_line(&attempt, &line)
            }
            Source::Bridge => Err(unpaid(Fault::permanent(
                "NOT_CALLED",
                "this agent is not called: its answer comes from outside",
            ))),
        }
    }
}

impl ModelAgent {
    /// The most that one attempt with this model can cost, and one in which it is asked again.
    fn bound_of(&self, chain: &[ModelName], model: usize, input: &Data) -> Option<(Nanos, Nanos)> {
        let handed = Data::of(&Handed::first(model));
        // What cannot be prepared is never sent.
        let Ok(prepared) = self.prepare(chain, input, Some(&handed)) else {
            return Some((Nanos::ZERO, Nanos::ZERO));
        };
        let tokens = tokens::worst_input(&prepared.name, &prepared.request).input_tokens;
        let price = self.models.prices().of(&prepared.name)?;
        let worst = |input| price.worst(input, u64::from(self.spec.asking.max_tokens));
        Some((worst(tokens), worst(tokens + Handed::MOST_AGAIN)))
    }
}

fn invalid(why: &str) -> Fault {
    Fault::permanent("MODEL_INVALID", why)
}
