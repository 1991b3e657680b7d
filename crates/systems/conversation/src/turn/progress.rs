//! What a turn has come to, as a value.
//!
//! [`TurnProgress::wanted`] says which calls should be open now; it changes only by [`TurnProgress::completed`] and
//! [`TurnProgress::failed`]. Every failure has the action of docs/spec/crew.md: a search that finds nothing is made broader, an answer that
//! is not supported is asked for again strictly and then refused, an answer that is not safe is asked for again and then
//! blocked, and what took too long is tried once more. Nothing here reads a clock or calls anything.

mod actions;

use consign_answers::{Shape, SubQuestion};
use consign_engine::{At, Data, Fault};
use serde::{Deserialize, Serialize};
use serde_json::Value;

pub(crate) use self::actions::Verified;
use super::{
    input::{TurnInput, TurnOutcome},
    steps::{Plan, PlanStep, tool},
};
use crate::failure::Failed;

/// What a broader search asks for.
const BROAD_TOP_K: u32 = 8;
const BROAD_MIN_SCORE: f64 = 0.3;

pub(crate) const INJECTION: &str = "ERR_GUARDRAIL_INJECTION";
pub(crate) const UNSAFE: &str = "ERR_GUARDRAIL_UNSAFE";
pub(crate) const NO_RESULTS: &str = "ERR_MEMORY_NO_RESULTS";
pub(crate) const HALLUCINATION: &str = "ERR_TAILOR_HALLUCINATION";
pub(crate) const TIMEOUT: &str = "ERR_TIMEOUT";

/// The state of a run that makes a turn.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TurnProgress {
    pub input: TurnInput,
    /// What the user wants to know, part by part.
    pub(super) questions: Vec<Question>,
    /// How the parts belong together.
    pub(super) shape: Shape,
    plan: Plan,
    pub(super) stage: Stage,
    /// The passages that were found, each once: values of contract `RetrievedContext`.
    context: Vec<Value>,
    /// The answer as it stands: contract `crew/tailor.output`.
    answer: Option<Value>,
    failures: Vec<Failed>,
    warnings: Vec<Value>,
    /// How many sentences the verifier has taken out of answers.
    #[serde(default)]
    unsupported: u64,
    /// Why the turn has no answer.
    stopped: Option<Failed>,
    /// The fault of our own machine that stopped it.
    fault: Option<Fault>,
    /// When the last thing happened.
    at: At,
}

/// A part of what the user wants to know.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Question {
    pub(crate) asked: SubQuestion,
    /// The passages that were found for it, by their ids.
    #[serde(default)]
    pub(crate) chunks: Vec<String>,
    /// The stems of its words, each with how much it says.
    #[serde(default)]
    pub(crate) terms: Value,
    search: Search,
}

/// How far the search for a question is.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Search {
    Open {
        /// The place of its step in the plan.
        step: usize,
        is_broad: bool,
        /// It took too long once.
        is_again: bool,
    },
    Done,
}

/// What is done now.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Stage {
    Search,
    Write(Work),
    Verify(Work),
    Check(Work),
    Save,
    Over,
}

/// A step that writes, verifies or checks the answer.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Work {
    /// The place of its step in the plan.
    step: usize,
    /// It took too long once.
    is_again: bool,
    pub(super) manner: Manner,
}

/// How strictly an answer is written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Manner {
    /// The one before was not supported by the passages.
    #[serde(default)]
    pub(crate) strict: bool,
    /// The one before was not safe to give out.
    #[serde(default)]
    pub(crate) safe: bool,
}

/// A call that should be open.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Wanted {
    Search { key: String, question: String, broad: Option<(u32, f64)> },
    Write { key: String, manner: Manner },
    Verify { key: String },
    Check { key: String },
    Save,
}

impl TurnProgress {
    /// Begins with a plan: the parts of what the user wants to know.
    pub(super) fn new(input: TurnInput, asked: consign_answers::Plan) -> Self {
        let consign_answers::Plan { questions, shape } = asked;
        let mut plan = Plan::default();
        for failed in &input.failures {
            let step = plan.begin(tool::GUARD_INPUT, "Check what the user said".to_owned());
            plan.fail(step, &failed.error_code);
        }
        let step = plan.begin(tool::GUARD_INPUT, "Check what the user said".to_owned());
        plan.complete(step);
        let parts = match (shape, questions.len()) {
            (_, 1) | (Shape::Single, _) => "one question".to_owned(),
            (Shape::Compare, parts) => format!("a comparison of {parts} parts"),
            (Shape::Parts, parts) => format!("{parts} questions"),
        };
        let step = plan.begin(tool::PLANNER, format!("Plan the turn: {parts}"));
        plan.complete(step);
        let questions = questions
            .into_iter()
            .map(|asked| {
                let step = plan.begin(tool::MEMORY, format!("Search for: {}", asked.text));
                let search = Search::Open { step, is_broad: false, is_again: false };
                Question { asked, chunks: Vec::new(), terms: Value::Null, search }
            })
            .collect();
        let (at, failures) = (input.asked_at, input.failures.clone());
        Self {
            input,
            questions,
            shape,
            plan,
            stage: Stage::Search,
            context: Vec::new(),
            answer: None,
            failures,
            warnings: Vec::new(),
            unsupported: 0,
            stopped: None,
            fault: None,
            at,
        }
    }

    /// The steps so far.
    #[must_use]
    pub fn steps(&self) -> &[PlanStep] {
        &self.plan.steps
    }

    pub(super) fn context(&self) -> &[Value] {
        &self.context
    }

    pub(super) fn answer(&self) -> Option<&Value> {
        self.answer.as_ref()
    }

    /// Everything that should be open now. Nothing: it is over.
    pub(super) fn wanted(&self) -> Vec<Wanted> {
        let numbered = |name: &str, work: &Work| format!("{name}-{}", work.step + 1);
        match &self.stage {
            Stage::Search => {
                self.questions.iter().filter_map(|question| question.wanted()).collect()
            }
            Stage::Write(work) => {
                vec![Wanted::Write { key: numbered("tailor", work), manner: work.manner }]
            }
            Stage::Verify(work) => {
                vec![Wanted::Verify { key: numbered("verifier", work) }]
            }
            Stage::Check(work) => vec![Wanted::Check { key: numbered("guardrails", work) }],
            Stage::Save => vec![Wanted::Save],
            Stage::Over => Vec::new(),
        }
    }

    /// A call gave something.
    pub(super) fn completed(&mut self, key: &str, output: &Data, at: At) {
        self.at = self.at.max(at);
        let (tool, step) = named(key);
        let output: Value = match output.to() {
            Ok(value) => value,
            Err(cause) => return self.broken(key, &cause.to_string()),
        };
        match (tool, self.stage) {
            ("memory", Stage::Search) => self.found(step, &output),
            ("tailor", Stage::Write(work)) if work.is_at(step) => {
                self.plan.complete(work.step);
                self.answer = Some(output);
                self.verify(work.manner);
            }
            ("verifier", Stage::Verify(work)) if work.is_at(step) => self.verified(work, output),
            ("guardrails", Stage::Check(work)) if work.is_at(step) => self.checked(work, output),
            ("save", Stage::Save) => self.stage = Stage::Over,
            (_, _) => {}
        }
    }

    /// A call failed for good.
    pub(super) fn failed(&mut self, key: &str, fault: &Fault, at: At) {
        self.at = self.at.max(at);
        let (tool, step) = named(key);
        let failed = failure(tool, fault);
        match (tool, self.stage) {
            ("memory", Stage::Search) => self.search_failed(step, failed),
            ("tailor", Stage::Write(work)) if work.is_at(step) => self.write_failed(work, failed),
            ("verifier", Stage::Verify(work)) if work.is_at(step) => {
                self.work_failed(work, failed, Stage::Verify);
            }
            ("guardrails", Stage::Check(work)) if work.is_at(step) => {
                self.check_failed(work, failed);
            }
            // Without its record the turn has not happened.
            ("save", Stage::Save) => {
                self.fault = Some(fault.clone());
                self.stage = Stage::Over;
            }
            (_, _) => {}
        }
    }

    /// What the assistant says at the end, also where there is no answer.
    pub(super) fn said(&self) -> String {
        match (&self.stopped, &self.answer) {
            (Some(failed), _) => warning(&failed.error_code).to_owned(),
            (None, answer) => {
                let content = answer.as_ref().and_then(|answer| answer.get("content")?.as_str());
                content.unwrap_or_default().to_owned()
            }
        }
    }

    /// What the run ends with.
    pub(super) fn end(&self) -> Result<TurnOutcome, Fault> {
        if let Some(fault) = &self.fault {
            return Err(fault.clone());
        }
        if let Some(failed) = &self.stopped {
            return Err(failed.fault(self.at));
        }
        let took = self.at.since(self.input.asked_at).as_secs_f64() * 1_000.0;
        Ok(TurnOutcome {
            final_response: self.answer.clone().unwrap_or_default(),
            execution_plan: self.plan.steps.clone(),
            processing_time_total_ms: took,
            failures: self.failures.clone(),
            warnings: self.warnings.clone(),
            unsupported: self.unsupported,
            session_id: self.input.session.clone(),
        })
    }
}

/// The failure of an agent. What it says of itself may go out; what a model has said does not, for nobody has checked it.
fn failure(tool: &str, fault: &Fault) -> Failed {
    let is_so = |name: &str| {
        let told = || fault.details.as_ref()?.shown().get(name)?.as_bool();
        told() == Some(true)
    };
    let is_form = ["AI_INVALID_RESPONSE", "CONTRACT_BREACH"].contains(&fault.code.as_ref());
    let (code, message) = match tool {
        _ if fault.is_timeout() || fault.code == TIMEOUT => {
            (TIMEOUT, format!("{tool} took too long"))
        }
        // It cites nothing that could be checked.
        "tailor" if is_form => (HALLUCINATION, "the answer is not of its form".to_owned()),
        "tailor" if is_so("refused") => {
            (HALLUCINATION, "the model refused to answer this".to_owned())
        }
        _ => (fault.code.as_ref(), fault.message.clone()),
    };
    let mut failed = Failed::new(tool, code, message);
    failed.recoverable = match code {
        NO_RESULTS | HALLUCINATION | TIMEOUT => true,
        INJECTION | UNSAFE => false,
        _ => fault.recoverable,
    };
    if code != fault.code {
        let details = serde_json::json!({ "code": fault.code });
        failed.details = details.as_object().cloned();
    }
    failed
}

/// What a person is told where there is no answer.
#[must_use]
pub fn warning(code: &str) -> &'static str {
    match code {
        INJECTION => {
            "This message was not answered: it looks like an attempt to change how the assistant works."
        }
        UNSAFE => "This was not answered: the answer or the question is not safe to pass on.",
        TIMEOUT => "This was not answered: it took too long. Ask again.",
        _ => "This was not answered: something failed. Ask again.",
    }
}

impl Question {
    pub(super) fn title(&self) -> Option<String> {
        self.asked.title.clone()
    }

    fn wanted(&self) -> Option<Wanted> {
        let Search::Open { step, is_broad, .. } = self.search else { return None };
        let broad = is_broad.then_some((BROAD_TOP_K, BROAD_MIN_SCORE));
        let (key, question) = (format!("memory-{}", step + 1), self.asked.search.clone());
        Some(Wanted::Search { key, question, broad })
    }
}

impl Work {
    fn is_at(&self, step: usize) -> bool {
        self.step == step
    }
}

/// The agent in a key, and the place of the step that it is of.
fn named(key: &str) -> (&str, usize) {
    match key.rsplit_once('-') {
        Some((name, step)) => (
            name,
            step.parse().ok().and_then(|step: usize| step.checked_sub(1)).unwrap_or(usize::MAX),
        ),
        None => (key, usize::MAX),
    }
}

#[cfg(test)]
mod tests;
