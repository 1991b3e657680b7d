//! The calls of a job that reach a model: `trace.suggest` and `proto.generate`.
//!
//! The model is the one that the job's settings name. Each call has its own prompt and contract, so the agent of the
//! model is made for each attempt from the call's input. Reservation, retries and books are the engine's. What a model
//! says is never trusted: [`usable`] checks it before anything is made of it.

use std::{sync::Arc, time::Duration};

use async_trait::async_trait;
use consign_contracts::{
    authoring::{ProtoPayload, TracePayload},
    schema::Schema,
    wire::Wire,
};
use consign_engine::{
    Agent, Agents, Attempt, Bound, Bridged, Data, Effect, Failure, Fault, Invoker, Nanos, Order,
    Quote, Reply, Settings,
};
use consign_invokers::{
    define::Workshop,
    model::{Asking, Ladder, ModelAgent, ModelSource, ModelSpec, Output},
    prompt::PromptTemplate,
};
use consign_models::{ModelName, Models, policy::Policy};
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::{AgentType, AiUsage, Revision, generators, prompts};

/// The model that stands for none: everything is made by rules.
pub const RULES: &str = "rules";
const SUGGEST: &str = "trace.suggest";
const GENERATE: &str = "proto.generate";
pub(crate) const PLAN: &str = "scribe.plan";
pub(crate) const WRITE: &str = "scribe.write";
pub(crate) const REVIEW: &str = "scribe.review";
/// The agents that are models.
pub(super) const THINKERS: [&str; 5] = [SUGGEST, GENERATE, PLAN, WRITE, REVIEW];

/// What a model may say, and for how long it may think.
const MOST_TOKENS: u32 = 16_384;
const LONGEST: Duration = Duration::from_secs(300);

/// What such a call is given.
#[derive(Serialize, Deserialize)]
pub(crate) struct Asked {
    pub(crate) model: String,
    /// The models that are asked when its answer cannot be used.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) fallback: Vec<String>,
    pub(crate) prompt: String,
    /// The contract of the answer; without one it is a text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) schema: Option<Data>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) max_tokens: Option<u32>,
}

/// What it gives: the answer, and what is known of the model that gave it.
#[derive(Serialize, Deserialize)]
pub(crate) struct Said {
    pub(crate) answer: Data,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    model: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    key_source: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    input_tokens: Option<u64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    output_tokens: Option<u64>,
    /// It ends where the model had no tokens left.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub(crate) cut_off: bool,
}

impl Said {
    /// Reads what a call gave. An answer over the bridge comes as it is.
    pub(crate) fn read(output: &Data) -> Self {
        output.to().unwrap_or_else(|_| Self {
            answer: output.clone(),
            model: None,
            key_source: None,
            input_tokens: None,
            output_tokens: None,
            cut_off: false,
        })
    }

    /// Adds what is known to the books of the job.
    pub(crate) fn tell(&self, ai: &mut AiUsage) {
        ai.resolved = self.model.clone().or_else(|| ai.resolved.take());
        ai.key_source = self.key_source.clone().or_else(|| ai.key_source.take());
        ai.input_tokens = ai.input_tokens.saturating_add(self.input_tokens.unwrap_or(0));
        ai.output_tokens = ai.output_tokens.saturating_add(self.output_tokens.unwrap_or(0));
    }
}

/// The agent that thinks for a type of job.
pub(super) fn thinker(kind: AgentType) -> &'static str {
    match kind {
        AgentType::Scribe | AgentType::Trace => SUGGEST,
        AgentType::Proto => GENERATE,
    }
}

/// What it is asked.
pub(super) fn asked(
    kind: AgentType,
    model: Option<&str>,
    payload: &Data,
    revision: Option<&Revision>,
) -> Result<Data, Fault> {
    let tree = payload.tree()?;
    let unfit = |breach: consign_contracts::Breach| {
        Fault::permanent("VALIDATION_ERROR", format!("the payload: {breach}"))
    };
    let (prompt, schema) = match kind {
        AgentType::Scribe | AgentType::Trace => {
            let payload = TracePayload::read(&tree).map_err(unfit)?;
            (prompts::suggest(&payload.spec, revision), prompts::suggest_schema())
        }
        AgentType::Proto => {
            let payload = ProtoPayload::read(&tree).map_err(unfit)?;
            let said = [payload.goal.as_deref(), payload.requirements.as_deref()];
            let said: Vec<_> = said.into_iter().flatten().collect();
            let prompt = prompts::scaffold(&said.join("\n\n"), payload.stack.as_deref(), revision);
            (prompt, prompts::scaffold_schema())
        }
    };
    let model = model.unwrap_or_default().to_owned();
    let (fallback, max_tokens) = (Vec::new(), None);
    Ok(Data::of(&Asked { model, fallback, prompt, schema: Some(schema), max_tokens }))
}

/// An answer that something can be made of. `None` if there is nothing in it, or something that must not be.
pub(super) fn usable(kind: AgentType, answer: &Data, revision: Option<&Revision>) -> Option<Data> {
    let revised = revision.filter(|_| kind == AgentType::Proto);
    let revised = revised.map(|revision| generators::revised(answer, revision));
    let answer = revised.as_ref().unwrap_or(answer);
    let tree = answer.tree().ok()?;
    match kind {
        AgentType::Scribe | AgentType::Trace => {
            tree.get("cases")?.as_array()?;
        }
        AgentType::Proto => {
            if !generators::are_files_fit(answer) {
                return None;
            }
        }
    }
    Some(answer.clone())
}

/// Whether a job of this type may use a model: by the policy of its agent, or else the document's list. `bridge`,
/// `rules`, scripts and recordings are no models.
///
/// # Errors
/// `MODEL_NOT_ALLOWED`, with those that are allowed.
pub fn check_model(models: &Models, kind: AgentType, model: &str) -> Result<(), Fault> {
    if model == RULES {
        return Ok(());
    }
    let source =
        ModelSource::read(model, &[]).map_err(|why| Fault::permanent("MODEL_NOT_ALLOWED", why))?;
    let ModelSource::Models(names) = source else { return Ok(()) };
    let own = models.config().policies().find(|(of, _)| *of == kind.as_str());
    let policy = own.map_or_else(Policy::default, |(_, policy)| policy.clone());
    names.iter().try_for_each(|name| policy.check(name).map_err(|trouble| trouble.fault()))
}

/// Adds the agents that are models.
pub(super) fn model_agents(agents: Agents, workshop: &Workshop) -> Agents {
    THINKERS.into_iter().fold(agents, |agents, name| {
        let invoker = Thinking { name, workshop: workshop.clone() };
        agents.with(name, Agent::new(Effect::Pure, invoker).with_timeout(LONGEST))
    })
}

struct Thinking {
    name: &'static str,
    workshop: Workshop,
}

impl Thinking {
    fn made(&self, input: &Data) -> Result<ModelAgent, Fault> {
        let invalid = |why: String| Fault::permanent("INVALID_INPUT", why);
        let Asked { model, fallback, schema, max_tokens, .. } =
            input.to().map_err(|cause| invalid(format!("what a model is asked: {cause}")))?;
        let source = ModelSource::read(&model, &fallback)
            .map_err(|why| Fault::permanent("MODEL_INVALID", why))?;
        let output = match schema {
            None => None,
            Some(schema) => {
                let compiled = Schema::compile(&schema.tree()?)
                    .map_err(|cause| invalid(format!("the schema of the answer: {cause}")))?;
                Some(Output { schema: Arc::new(compiled), source: schema })
            }
        };
        let asking = Asking {
            source,
            system: None,
            template: PromptTemplate::read("{{input.prompt}}").map_err(invalid)?,
            files: Vec::new(),
            tools: Vec::new(),
            temperature: 0.0,
            max_tokens: max_tokens.unwrap_or(MOST_TOKENS),
            stream: false,
            // The rules can do without an answer, so no person is asked for one.
            ladder: Ladder { mend: true, ask_again: true, fall_back: true, person: false },
            allow: None,
            base_url: None,
        };
        let spec = ModelSpec { agent: Arc::from(self.name), asking, output, timeout: LONGEST };
        let (models, scripts) = (self.workshop.models().clone(), self.workshop.scripts().clone());
        Ok(ModelAgent::new(models, scripts, spec))
    }
}

#[async_trait]
impl Invoker for Thinking {
    fn worst_case(&self, input: &Data) -> Option<Nanos> {
        // What cannot be made is never sent.
        self.made(input).map_or(Some(Nanos::ZERO), |made| made.worst_case(input))
    }

    fn quote(&self, order: &Order<'_>) -> Quote {
        self.made(order.input).map_or_else(|_| Quote::of(Nanos::ZERO), |made| made.quote(order))
    }

    fn bound(&self, input: &Data, settings: &Settings, tries: u32) -> Bound {
        match self.made(input) {
            Ok(made) => made.bound(input, settings, tries),
            Err(_) => Bound { cost: Some(Nanos::ZERO), calls: Some(u64::from(tries)) },
        }
    }

    fn bridge(&self, input: &Data, settings: &Settings) -> Option<Bridged> {
        let bridged = self.made(input).ok()?.bridge(input, settings)?;
        let asked: Asked = input.to().ok()?;
        if asked.schema.is_some() {
            return Some(bridged);
        }
        // A document: whoever answers gives its text.
        Some(Bridged { schema: Data::of(&json!({"type": "string"})), ..bridged })
    }

    async fn invoke(&self, attempt: Attempt) -> Result<Reply, Failure> {
        let made = self.made(&attempt.input);
        let made = made.map_err(|fault| Failure::new(fault, Some(Nanos::ZERO)))?;
        let reply = made.invoke(attempt).await.map_err(empty)?;
        if reply.output.shown().as_str().is_some_and(|text| text.trim().is_empty()) {
            let fault = Fault::transient("AI_INVALID_RESPONSE", "the model gave an empty answer");
            let fault = fault.with_details(Data::of(&json!({"empty": true})));
            let failure = Failure::new(fault, Some(reply.cost));
            return Err(match reply.note {
                Some(note) => failure.with_note(note),
                None => failure,
            });
        }
        let note = reply.note.as_ref().map(Data::shown);
        let text = |name: &str| note.as_ref()?.get(name)?.as_str().map(str::to_owned);
        let usage = note.as_ref().and_then(|note| note.get("usage"));
        let count = |name: &str| usage?.get(name)?.as_number()?.as_u64();
        let said = Said {
            answer: reply.output.clone(),
            model: text("model").filter(|name| name.parse::<ModelName>().is_ok()),
            key_source: text("key_source"),
            input_tokens: count("input_tokens"),
            output_tokens: count("output_tokens"),
            cut_off: note.as_ref().and_then(|note| note.get("cut_off")?.as_bool()) == Some(true),
        };
        let output = Data::of(&said);
        Ok(Reply { output, ..reply })
    }
}

/// The client takes an answer without a word for a failure of the network. Tried again it may be the same: then the
/// rules do without the model, as the document wants it (5.3).
fn empty(mut failure: Failure) -> Failure {
    if is_silence(&failure.fault) {
        failure.fault.code = "AI_INVALID_RESPONSE".into();
    }
    failure
}

/// Whether a model answered without a word.
pub(crate) fn is_silence(fault: &Fault) -> bool {
    let told = || fault.details.as_ref()?.shown().get("empty")?.as_bool();
    told() == Some(true)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_that_a_model_must_not_write_are_not_used() {
        let check = |answer: &str, is_usable: bool| {
            let answer = Data::parse(answer).expect("a test writes JSON");
            assert_eq!(usable(AgentType::Proto, &answer, None).is_some(), is_usable, "{answer:?}");
        };
        check(r#"{"files": [{"path": "README.md", "content": ""}]}"#, true);
        check(r#"{"files": []}"#, false);
        check(r#"{"files": [{"path": "../x", "content": ""}]}"#, false);
        check(r#"{"files": [{"path": ".github/workflows/ci.yml", "content": ""}]}"#, false);
        check(r#"{"files": [{"path": "a", "content": ""}, {"path": "A", "content": ""}]}"#, false);
        check(r#"{"files": [{"content": ""}]}"#, false);
    }
}
