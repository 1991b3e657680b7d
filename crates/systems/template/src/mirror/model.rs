//! The agents of the bridge as a mirror calls them where a model answers.
//!
//! Each call has its own contract, that of the phase which asks; so the agent of a model is made for each
//! attempt, from the call's input. Reservation, retries and books are the engine's.

use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use async_trait::async_trait;
use consign_contracts::{bridge, schema::Schema};
use consign_engine::{
    Agent, AgentName, Agents, Attempt, Bound, Data, Effect, Failure, Fault, FaultClass, Invoker,
    Nanos, Order, Quote, Reply, Settings,
};
use consign_invokers::{
    define::Workshop,
    model::{Asking, Ladder, ModelAgent, ModelSource, ModelSpec, Output as Contract},
    prompt::PromptTemplate,
};
use consign_models::{ModelName, Models};
use serde::{Deserialize, Serialize};

use super::{AskModel, Pending};

/// The pin of these agents: people are shown the name alone.
pub(super) const PIN: &str = "model";

/// What a model may say.
const MOST_TOKENS: u32 = 16_384;
/// The longest that a request may take by its contract, and what it takes to stop.
const LONGEST: Duration = Duration::from_secs(600 + 8);

/// What such a call is given.
#[derive(Serialize, Deserialize)]
struct Input {
    model: String,
    prompt: String,
    schema: Data,
    timeout_seconds: u64,
}

/// What it gives.
#[derive(Serialize, Deserialize)]
pub(super) struct Output {
    pub(super) answer: Data,
    pub(super) model: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) tokens_used: Option<u64>,
}

pub(super) fn input(pending: &Pending, ask: &AskModel) -> Data {
    Data::of(&Input {
        model: ask.model.clone(),
        prompt: pending.prompt.clone(),
        // A model has no metadata to say how sure it is, so its answer must: the schema says so.
        schema: pending.schema.clone(),
        timeout_seconds: ask.timeout_seconds,
    })
}

/// The agents of the bridge with a model, besides those that there are.
#[must_use]
pub fn model_agents(agents: Agents, workshop: &Workshop) -> Agents {
    bridge::AgentName::ALL.iter().fold(agents, |agents, name| {
        let invoker = Answering { agent: name.as_str(), workshop: workshop.clone() };
        let agent = Agent::new(Effect::Pure, invoker).with_timeout(LONGEST);
        agents.with(AgentName::pinned(name.as_str(), PIN).to_string(), agent)
    })
}

/// Whether an agent of the bridge may use a model. Without a policy of its own it may use any.
///
/// # Errors
/// `MODEL_NOT_ALLOWED`, with those that are allowed.
pub fn check_model(models: &Models, agent: &str, model: &ModelName) -> Result<(), Fault> {
    let policy = models.config().policies().find(|(of, _)| *of == agent);
    match policy {
        Some((_, policy)) => policy.check(model).map_err(|trouble| trouble.fault()),
        None => Ok(()),
    }
}

struct Answering {
    agent: &'static str,
    workshop: Workshop,
}

impl Answering {
    fn made(&self, input: &Data) -> Result<(ModelAgent, Duration), Fault> {
        let invalid = |why: String| Fault::permanent("INVALID_INPUT", why);
        let Input { model, schema, timeout_seconds, .. } =
            input.to().map_err(|cause| invalid(format!("what a model is asked: {cause}")))?;
        let model: ModelName =
            model.parse().map_err(|why: String| Fault::permanent("MODEL_INVALID", why))?;
        check_model(self.workshop.models(), self.agent, &model)?;
        let compiled = Schema::compile(&schema.tree()?)
            .map_err(|cause| invalid(format!("the schema of the answer: {cause}")))?;
        let timeout = Duration::from_secs(timeout_seconds);
        let asking = Asking {
            source: ModelSource::Models(vec![model]),
            system: None,
            template: PromptTemplate::read("{{input.prompt}}").map_err(invalid)?,
            files: Vec::new(),
            tools: Vec::new(),
            temperature: 0.0,
            max_tokens: MOST_TOKENS,
            stream: false,
            // The creation can do without an answer, so no person is asked for one.
            ladder: Ladder { mend: true, ask_again: true, fall_back: false, person: false },
            allow: None,
            base_url: None,
        };
        let output = Contract { schema: Arc::new(compiled), source: schema };
        let spec =
            ModelSpec { agent: Arc::from(self.agent), asking, output: Some(output), timeout };
        Ok((
            ModelAgent::new(self.workshop.models().clone(), self.workshop.scripts().clone(), spec),
            timeout,
        ))
    }
}

#[async_trait]
impl Invoker for Answering {
    fn worst_case(&self, input: &Data) -> Option<Nanos> {
        // What cannot be made is never sent.
        self.made(input).map_or(Some(Nanos::ZERO), |(made, _)| made.worst_case(input))
    }

    fn quote(&self, order: &Order<'_>) -> Quote {
        match self.made(order.input) {
            Ok((made, _)) => made.quote(order),
            Err(_) => Quote::of(Nanos::ZERO),
        }
    }

    fn bound(&self, input: &Data, settings: &Settings, tries: u32) -> Bound {
        match self.made(input) {
            Ok((made, _)) => made.bound(input, settings, tries),
            Err(_) => Bound { cost: Some(Nanos::ZERO), calls: Some(u64::from(tries)) },
        }
    }

    async fn invoke(&self, mut attempt: Attempt) -> Result<Reply, Failure> {
        let unpaid = |fault| Failure::new(fault, Some(Nanos::ZERO));
        let (made, timeout) = self.made(&attempt.input).map_err(unpaid)?;
        attempt.agent = AgentName::from(attempt.agent.plain());
        let began = Instant::now();
        let reply = made.invoke(attempt).await.map_err(|failure| late(failure, began, timeout))?;
        let note = reply.note.as_ref().map(Data::shown);
        let text = |name: &str| note.as_ref().and_then(|note| note.get(name)?.as_str());
        let usage = note.as_ref().and_then(|note| note.get("usage"));
        let count = |name: &str| usage?.get(name)?.as_number()?.as_u64();
        let output = Output {
            answer: reply.output.clone(),
            model: text("model").unwrap_or_default().to_owned(),
            tokens_used: count("input_tokens").zip(count("output_tokens")).map(|(a, b)| a + b),
        };
        Ok(Reply { output: Data::of(&output), ..reply })
    }
}

/// A failure that took all the time there was. To ask again with as little would be in vain: the bridge
/// itself asks again, with more.
fn late(failure: Failure, began: Instant, timeout: Duration) -> Failure {
    if began.elapsed() < timeout || failure.fault.class == FaultClass::Permanent {
        return failure;
    }
    let text = format!("no answer within {} s", timeout.as_secs());
    Failure { fault: Fault::permanent("TIMEOUT", text), ..failure }
}
