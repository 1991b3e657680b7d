//! The tailor as an agent: contract `crew/tailor.input` to `crew/tailor.output`.
//!
//! Without a model the answer is made of sentences of the passages, which are quotes. With one it is written by that model;
//! what it cites by short names is named as the passages are. Both are held against the stored texts by the verifier.

use std::sync::Arc;

use async_trait::async_trait;
use consign_answers::{Part, Passage, Plan, candidates, compose, refusal, shape, suggest};
use consign_contracts::{
    crew::{Persona, TailorOutput},
    json::{Json, Object},
    wire::Message as _,
};
use consign_engine::{
    Attempt, Bound, Bridged, Data, Failure, Fault, Invoker, Nanos, Order, Quote, Reply, Settings,
};
use consign_guard::Guard;
use consign_invokers::{
    define::Workshop,
    model::{Asking, Ladder, ModelAgent, ModelSource, ModelSpec, Output},
    prompt::PromptTemplate,
};
use serde_json::{Value, json};

use super::{TAILOR, Turns, broken, failure, passages};
use crate::turn::{
    prompt::{self, Shown},
    workflow::WriteInput,
};

pub(super) struct TailorAgent {
    turns: Arc<Turns>,
    workshop: Workshop,
}

impl TailorAgent {
    pub(super) fn new(turns: Arc<Turns>, workshop: Workshop) -> Self {
        Self { turns, workshop }
    }

    /// The model that writes, and what it is given. Nothing where none is named.
    fn model(&self, input: &Data) -> Result<Option<Model>, Fault> {
        let invalid = |why: String| Fault::permanent("INVALID_INPUT", why);
        let input: WriteInput =
            input.to().map_err(|cause| invalid(format!("what the tailor is given: {cause}")))?;
        let Some(name) = &input.model else { return Ok(None) };
        let source =
            ModelSource::read(name, &[]).map_err(|why| Fault::permanent("MODEL_INVALID", why))?;
        let shown = shown(&input, &self.turns.guard);
        let prompt = prompt::prompt(&input, &shown);
        let contract = TailorOutput::contract();
        let schema = Data::from(&contract.source());
        let compiled = consign_contracts::schema::Schema::compile(&schema.tree()?)
            .map_err(|cause| invalid(format!("the contract of the answer: {cause}")))?;
        let asking = Asking {
            source,
            system: Some(prompt::SYSTEM.to_owned()),
            template: PromptTemplate::read("{{input.prompt}}").map_err(invalid)?,
            files: Vec::new(),
            tools: Vec::new(),
            temperature: 0.0,
            max_tokens: prompt::MOST_TOKENS,
            stream: true,
            // There is an honest answer without one: that it is not known.
            ladder: Ladder { mend: true, ask_again: true, fall_back: true, person: false },
            allow: None,
            base_url: None,
        };
        let output = Some(Output { schema: Arc::new(compiled), source: schema });
        let timeout = self.turns.timeouts.tailor;
        let spec = ModelSpec { agent: Arc::from(TAILOR), asking, output, timeout };
        let (models, scripts) = (self.workshop.models().clone(), self.workshop.scripts().clone());
        let agent = ModelAgent::new(models, scripts, spec);
        let given = Data::of(&json!({ "prompt": prompt }));
        Ok(Some(Model { agent, given, shown, persona: input.persona }))
    }
}

struct Model {
    agent: ModelAgent,
    given: Data,
    shown: Vec<Shown>,
    persona: String,
}

/// The passages as a model is shown them: without what tells it what to do.
fn shown(input: &WriteInput, guard: &Guard) -> Vec<Shown> {
    let clean = |text: &str| guard.passage(text).text;
    let of = |context: consign_contracts::crew::RetrievedContext| {
        let text = |name: &str| context.metadata.get(name).and_then(Json::as_str);
        let heading = context.metadata.get("heading").and_then(Json::as_array).unwrap_or_default();
        let heading: Vec<_> = heading.iter().filter_map(Json::as_str).collect();
        let page = context.metadata.get("page_number").and_then(Json::as_number);
        Shown {
            title: text("title").or(text("file_name")).map(clean),
            heading: clean(&heading.join(" > ")),
            page: page.and_then(|page| u32::try_from(page.as_u64()?).ok()),
            text: clean(&context.content),
            chunk_id: context.chunk_id,
            source_id: context.source_id,
        }
    };
    passages::contexts(&input.context_chunks).into_iter().map(of).collect()
}

/// The members of contract `crew/tailor.output`.
const ANSWER: [&str; 5] =
    ["content", "citations", "tone_used", "follow_up_suggestions", "confidence_score"];
const CITATION: [&str; 4] = ["source_id", "chunk_id", "text_snippet", "url"];

fn keep(value: &mut Value, members: &[&str]) {
    if let Some(value) = value.as_object_mut() {
        value.retain(|name, _| members.contains(&name.as_str()));
    }
}

impl Model {
    /// What a model said, with passages named as they are and the persona that was asked for.
    fn named(&self, output: &Data) -> Data {
        let Ok(mut said) = output.to::<Value>() else { return output.clone() };
        // Other members are for agents of ours.
        keep(&mut said, &ANSWER);
        let citations = said.get_mut("citations").and_then(Value::as_array_mut);
        for citation in citations.into_iter().flatten() {
            let place = citation.get("chunk_id").and_then(Value::as_str).and_then(prompt::place);
            if let Some(passage) = place.and_then(|place| self.shown.get(place)) {
                citation["chunk_id"] = json!(passage.chunk_id);
                citation["source_id"] = json!(passage.source_id);
            }
            // Where it stands is looked up, and never taken from a model.
            keep(citation, &CITATION);
        }
        said["tone_used"] = json!(self.persona);
        Data::of(&said)
    }
}

#[async_trait]
impl Invoker for TailorAgent {
    fn worst_case(&self, input: &Data) -> Option<Nanos> {
        match self.model(input) {
            Ok(Some(model)) => model.agent.worst_case(&model.given),
            // Rules cost nothing, and what cannot be made is never sent.
            Ok(None) | Err(_) => Some(Nanos::ZERO),
        }
    }

    fn quote(&self, order: &Order<'_>) -> Quote {
        match self.model(order.input) {
            Ok(Some(model)) => model.agent.quote(&Order { input: &model.given, ..*order }),
            Ok(None) | Err(_) => Quote::of(Nanos::ZERO),
        }
    }

    fn bound(&self, input: &Data, settings: &Settings, tries: u32) -> Bound {
        match self.model(input) {
            Ok(Some(model)) => model.agent.bound(&model.given, settings, tries),
            Ok(None) | Err(_) => Bound { cost: Some(Nanos::ZERO), calls: Some(u64::from(tries)) },
        }
    }

    fn bridge(&self, input: &Data, settings: &Settings) -> Option<Bridged> {
        let model = self.model(input).ok()??;
        model.agent.bridge(&model.given, settings)
    }

    async fn invoke(&self, attempt: Attempt) -> Result<Reply, Failure> {
        if let Some(model) = self.model(&attempt.input).map_err(failure)? {
            let mut given = attempt;
            given.input = model.given.clone();
            let reply = model.agent.invoke(given).await?;
            let output = model.named(&reply.output);
            return Ok(Reply { output, ..reply });
        }
        let input: WriteInput = attempt.input.to().map_err(broken)?;
        let guard = self.turns.guard.clone();
        let writing = tokio::task::spawn_blocking(move || quoted(&input, &guard));
        let output = writing
            .await
            .map_err(|cause| failure(Fault::permanent("INTERNAL_ERROR", cause.to_string())))?;
        Ok(Reply::new(output, Nanos::ZERO))
    }
}

/// An answer made of quotes.
fn quoted(input: &WriteInput, guard: &Guard) -> Data {
    let (all, _) = Passage::all(&passages::contexts(&input.context_chunks));
    let weights = passages::weights(input.questions.iter().map(|part| &part.terms));
    let fit = |passage: &Passage| -> Vec<Passage> {
        let harmless = passages::harmless(passage, guard);
        match input.manner.safe {
            true => harmless.iter().flat_map(|part| passages::safe(part, guard)).collect(),
            false => harmless,
        }
    };
    let of_part = |part: &crate::turn::workflow::Part| Part {
        question: part.asked.clone(),
        passages: part
            .chunks
            .iter()
            .filter_map(|id| all.iter().find(|passage| passage.chunk_id == *id))
            .flat_map(fit)
            .collect(),
    };
    let parts: Vec<Part> = input.questions.iter().map(of_part).collect();
    let plan = Plan {
        questions: parts.iter().map(|part| part.question.clone()).collect(),
        shape: input.shape,
    };
    let answer = match input.manner.strict {
        // The same passages give the same quotes: those were not supported.
        true => refusal(&input.user_query),
        false => compose(&plan, &candidates(&parts, weights.as_ref()), None).answer,
    };
    let persona = Persona::from_word(&input.persona).unwrap_or(Persona::General);
    let instructions = input.formatting_instructions.as_deref();
    let shaped = shape(&answer, &input.user_query, persona, instructions, &all);
    let asked: Vec<&str> = input
        .history
        .iter()
        .filter(|message| message.role == "user")
        .map(|message| message.content.as_str())
        .chain([input.user_query.as_str()])
        .collect();
    let usable: Vec<Passage> = all.iter().flat_map(fit).collect();
    let suggestions = match answer.is_refusal() {
        true => Vec::new(),
        false => suggest(&asked, &answer, &usable, weights.as_ref()),
    };
    let mean = mean_relevance(&shaped.answer.citations, &all);
    let mut output = shaped.to_output(suggestions, mean);
    let mut extra = Object::new();
    extra.set("source", Json::String("quotes".into()));
    // What its notes and tables were made of: the verifier holds the answer, and writes them anew.
    extra.set("blocks", Json::from(&json!(shaped.answer.blocks)));
    output.extra = extra;
    Data::restore(output.to_json()).unwrap_or_else(Data::null)
}

fn mean_relevance(citations: &[consign_answers::Citation], passages: &[Passage]) -> f64 {
    let all: Vec<f64> = citations
        .iter()
        .filter_map(|citation| {
            passages.iter().find(|passage| passage.chunk_id == citation.chunk_id)
        })
        .map(|passage| passage.relevance)
        .collect();
    if all.is_empty() { 0.0 } else { all.iter().sum::<f64>() / all.len() as f64 }
}
