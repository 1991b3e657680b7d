//! The program of a turn: opens what [`TurnProgress`] wants, and tells it what happened.

use std::{sync::Arc, time::Duration};

use consign_answers::{Said, Shape, SubQuestion, plan};
use consign_engine::{
    Activity, AgentName, Bound, Call, Data, Fault, Happened, Key, Limits, Nanos, Next, Outcome,
    Retry, RetryOn, Settings, Signal, TIMEOUT, Workflow, Workflows,
};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::{
    agents::{GUARDRAILS, SAVER, TAILOR, VERIFIER},
    input::TurnInput,
    progress::{Manner, Question, TurnProgress, Wanted},
    steps::PlanStep,
};
use crate::agents::MEMORY;

pub use consign_knowledge::conversation::WORKFLOW;

/// What the tailor is given: contract `crew/tailor.input`, and what it needs to know besides.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct WriteInput {
    pub(crate) user_query: String,
    pub(crate) context_chunks: Vec<Value>,
    pub(crate) persona: String,
    #[serde(default)]
    pub(crate) formatting_instructions: Option<String>,
    #[serde(default)]
    pub(crate) questions: Vec<Part>,
    pub(crate) shape: Shape,
    #[serde(default)]
    pub(crate) history: Vec<super::HistoryMessage>,
    #[serde(default)]
    pub(crate) manner: Manner,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) model: Option<String>,
}

/// A part of the question, and the passages that were found for it.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Part {
    pub(crate) asked: SubQuestion,
    pub(crate) chunks: Vec<String>,
    /// The stems of its words, each with how much it says.
    #[serde(default)]
    pub(crate) terms: Value,
}

/// What the verifier is given.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct VerifyInput {
    pub(crate) user_query: String,
    pub(crate) context_chunks: Vec<Value>,
    pub(crate) answer: Value,
    pub(crate) persona: String,
    #[serde(default)]
    pub(crate) formatting_instructions: Option<String>,
    /// What may stand above the parts of the answer.
    #[serde(default)]
    pub(crate) titles: Vec<String>,
    /// What the user has asked so far, the last one last.
    #[serde(default)]
    pub(crate) asked: Vec<String>,
    /// The stems of the words of each question, each with how much it says.
    #[serde(default)]
    pub(crate) terms: Vec<Value>,
}

/// What the record of a turn is made of.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct SaveInput {
    pub(crate) session: String,
    pub(crate) conversation: String,
    pub(crate) number: u32,
    pub(crate) message: String,
    pub(crate) said: String,
    pub(crate) plan: Vec<PlanStep>,
    pub(crate) context: Vec<Value>,
    pub(crate) preferences: serde_json::Map<String, Value>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) marks: Option<Data>,
}

/// Adds the workflow.
#[must_use]
pub(crate) fn workflows(workflows: Workflows) -> Workflows {
    workflows.with(Turn)
}

struct Turn;

impl Workflow for Turn {
    type State = TurnProgress;

    fn name(&self) -> &str {
        WORKFLOW
    }

    fn start(&self, input: &Data) -> Result<TurnProgress, Fault> {
        Ok(begin(TurnInput::read(input)?))
    }

    fn decide(&self, progress: &TurnProgress) -> Next {
        let wanted = progress.wanted();
        if wanted.is_empty() {
            return Next::Finish(match progress.end() {
                Ok(outcome) => Outcome::Succeeded(Data::of(&outcome)),
                Err(fault) => Outcome::Failed(fault),
            });
        }
        Next::Open(
            wanted.into_iter().map(|wanted| Activity::Call(call(progress, wanted))).collect(),
        )
    }

    fn evolve(&self, progress: &mut TurnProgress, happened: &Happened<'_>) {
        match *happened {
            Happened::Completed { key, output, work } => {
                progress.completed(key.as_str(), output, work.ended);
            }
            Happened::Failed { key, fault, work } => {
                progress.failed(key.as_str(), fault, work.ended);
            }
            Happened::Answered { .. }
            | Happened::Fired { .. }
            | Happened::Signalled(
                Signal::Advice(_) | Signal::Raised(_) | Signal::Cancel | Signal::Named { .. },
            ) => {}
        }
    }

    fn bound(&self, input: &Data, _: &Limits, _: &Settings) -> Bound {
        // What a model is given depends on what is found, so its price is not known before.
        let has_model = TurnInput::read(input).is_ok_and(|input| input.model.is_some());
        Bound { cost: (!has_model).then_some(Nanos::ZERO), calls: None }
    }
}

/// The first state: the plan.
pub(super) fn begin(input: TurnInput) -> TurnProgress {
    let said = input.history.iter();
    let said = said.map(|said| Said { role: &said.role, content: &said.content });
    let history: Vec<_> = said.collect();
    let plan = plan(&input.message, &history);
    TurnProgress::new(input, plan)
}

fn call(progress: &TurnProgress, wanted: Wanted) -> Call {
    let input = &progress.input;
    let (key, agent, input) = match wanted {
        Wanted::Search { key, question, broad } => {
            (key, MEMORY, search(question, broad, input.collection.as_deref()))
        }
        Wanted::Write { key, manner } => {
            let part = |question: &Question| Part {
                asked: question.asked.clone(),
                chunks: question.chunks.clone(),
                terms: question.terms.clone(),
            };
            let given = WriteInput {
                user_query: input.message.clone(),
                context_chunks: progress.context().to_vec(),
                persona: input.persona.clone(),
                formatting_instructions: input.formatting_instructions.clone(),
                questions: progress.questions.iter().map(part).collect(),
                shape: progress.shape,
                history: input.history.clone(),
                manner,
                model: input.model.clone(),
            };
            (key, TAILOR, Data::of(&given))
        }
        Wanted::Verify { key } => {
            let given = VerifyInput {
                user_query: input.message.clone(),
                context_chunks: progress.context().to_vec(),
                answer: progress.answer().cloned().unwrap_or_default(),
                persona: input.persona.clone(),
                formatting_instructions: input.formatting_instructions.clone(),
                titles: progress.questions.iter().filter_map(Question::title).collect(),
                asked: asked(input),
                terms: progress.questions.iter().map(|question| question.terms.clone()).collect(),
            };
            (key, VERIFIER, Data::of(&given))
        }
        Wanted::Check { key } => (key, GUARDRAILS, check(progress)),
        Wanted::Save => {
            let given = SaveInput {
                session: input.session.clone(),
                conversation: input.conversation.clone(),
                number: input.number,
                message: input.message.clone(),
                said: progress.said(),
                plan: progress.steps().to_vec(),
                context: progress.context().to_vec(),
                preferences: input.preferences.clone(),
                marks: input.marks.clone(),
            };
            ("save".to_owned(), SAVER, Data::of(&given))
        }
    };
    // What took too long is a step of its own the second time.
    let mut retry = Retry::new(3, Duration::from_secs(1), Duration::from_secs(20));
    retry.on = RetryOn::Except(Arc::from([TIMEOUT.to_owned(), "ERR_TIMEOUT".to_owned()]));
    Call { key: Key::new(key), agent: AgentName::from(agent), input, retry }
}

/// What the user has asked so far.
fn asked(input: &TurnInput) -> Vec<String> {
    let before = input.history.iter().filter(|message| message.role == "user");
    before.map(|message| message.content.clone()).chain([input.message.clone()]).collect()
}

/// A search as contract `crew/memory.query` has it, with the collection beside.
fn search(question: String, broad: Option<(u32, f64)>, collection: Option<&str>) -> Data {
    let mut query = json!({ "query_text": question });
    if let Some((top_k, min_score)) = broad {
        query["top_k"] = json!(top_k);
        query["min_relevance_score"] = json!(min_score);
    }
    if let Some(collection) = collection {
        query["collection"] = json!(collection);
    }
    Data::of(&query)
}

/// Everything that would go out, as contract `crew/guardrails.input` has it.
fn check(progress: &TurnProgress) -> Data {
    let answer = progress.answer();
    let text = |value: Option<&Value>| value.and_then(Value::as_str).unwrap_or_default().to_owned();
    let mut parts = vec![text(answer.and_then(|answer| answer.get("content")))];
    let list =
        |name: &str| answer.and_then(|answer| answer.get(name)?.as_array()).into_iter().flatten();
    parts.extend(list("citations").map(|citation| text(citation.get("text_snippet"))));
    parts.extend(list("follow_up_suggestions").map(|said| text(Some(said))));
    parts.dedup();
    let given = json!({
        "content": parts.join("\n"),
        "check_type": "output_safety",
        "metadata": { "marks": progress.input.marks, "conversation": progress.input.conversation },
    });
    Data::of(&given)
}
