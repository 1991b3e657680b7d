//! What a turn has come to, as a value.
//!
//! [`TurnProgress::wanted`] says which calls should be open now; [`TurnProgress::take`] is the only way in which it
//! changes. Every failure has the action of docs/spec/crew.md: a search that finds nothing is made broader, an answer that
//! is not supported is asked for again strictly and then refused, an answer that is not safe is asked for again and then
//! blocked, and what took too long is tried once more. Nothing here reads a clock or calls anything.

use consign_answers::{Shape, SubQuestion};
use consign_engine::{At, Data, Fault};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

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

/// What the verifier says of an answer.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Verified {
    /// The answer with what holds of it.
    pub(crate) response: Value,
    /// Whether it may go on: it is supported, or says that there is nothing.
    pub(crate) holds: bool,
    /// Why not, for people.
    #[serde(default)]
    pub(crate) reasons: Vec<String>,
    /// Instructions that stood in passages.
    #[serde(default)]
    pub(crate) warnings: Vec<Value>,
}

/// What the guard says of an answer: contract `crew/guardrails.output`.
#[derive(Clone, Debug, Deserialize)]
struct Checked {
    is_safe: bool,
    #[serde(default)]
    risk_category: Option<String>,
    #[serde(default)]
    reasoning: String,
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
        let mut failed = Failed::new(tool, fault.code.to_string(), fault.message.clone());
        if fault.is_timeout() || fault.code == TIMEOUT {
            failed.error_code = TIMEOUT.to_owned();
            failed.message = format!("{tool} took too long");
            failed.recoverable = true;
        }
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

    fn found(&mut self, step: usize, output: &Value) {
        let Some(place) = self.question_at(step) else { return };
        if let Some(terms) = output.get("terms") {
            self.questions[place].terms = terms.clone();
        }
        let results = output.get("results").and_then(Value::as_array).cloned().unwrap_or_default();
        if results.is_empty() {
            let told = format!("nothing was found for: {}", self.questions[place].asked.text);
            let mut failed = Failed::new("memory", NO_RESULTS, told);
            failed.recoverable = true;
            return self.search_failed(step, failed);
        }
        self.plan.complete(step);
        for result in results {
            let Some(id) = result.get("chunk_id").and_then(Value::as_str) else { continue };
            self.questions[place].chunks.push(id.to_owned());
            let is_new = |known: &Value| known.get("chunk_id").and_then(Value::as_str) != Some(id);
            if self.context.iter().all(is_new) {
                self.context.push(result);
            }
        }
        self.questions[place].search = Search::Done;
        self.write_when_found();
    }

    fn search_failed(&mut self, step: usize, failed: Failed) {
        let Some(place) = self.question_at(step) else { return };
        let Search::Open { is_broad, is_again, .. } = self.questions[place].search else { return };
        self.plan.fail(step, &failed.error_code);
        let (is_empty, is_late) = (failed.error_code == NO_RESULTS, failed.error_code == TIMEOUT);
        let text = self.questions[place].asked.text.clone();
        let next = if is_empty && !is_broad {
            Some((format!("Search more broadly for: {text}"), true, false))
        } else if is_late && !is_again {
            Some((format!("Search again for: {text}"), is_broad, true))
        } else {
            None
        };
        self.questions[place].search = match next {
            Some((told, is_broad, is_again)) => {
                self.failures.push(failed);
                let step = self.plan.begin(tool::MEMORY, told);
                Search::Open { step, is_broad, is_again }
            }
            None if is_empty => {
                self.failures.push(failed);
                Search::Done
            }
            None => return self.stop(failed),
        };
        self.write_when_found();
    }

    fn write_when_found(&mut self) {
        if self.questions.iter().all(|question| question.search == Search::Done) {
            self.write("Write the answer", Manner::default(), false);
        }
    }

    fn write(&mut self, told: &str, manner: Manner, is_again: bool) {
        let step = self.plan.begin(tool::TAILOR, told.to_owned());
        self.stage = Stage::Write(Work { step, is_again, manner });
    }

    fn verify(&mut self, manner: Manner) {
        let step = self.plan.begin(tool::VERIFIER, "Verify each citation and sentence".to_owned());
        self.stage = Stage::Verify(Work { step, is_again: false, manner });
    }

    fn check(&mut self, manner: Manner) {
        let step = self.plan.begin(tool::GUARD_OUTPUT, "Check what goes back".to_owned());
        self.stage = Stage::Check(Work { step, is_again: false, manner });
    }

    fn write_failed(&mut self, work: Work, failed: Failed) {
        if failed.error_code != HALLUCINATION {
            return self.work_failed(work, failed, Stage::Write);
        }
        self.plan.fail(work.step, HALLUCINATION);
        self.unsupported(work.manner, failed);
    }

    fn verified(&mut self, work: Work, output: Value) {
        let verified: Verified = match serde_json::from_value(output) {
            Ok(verified) => verified,
            Err(cause) => return self.broken("verifier", &cause.to_string()),
        };
        for warning in verified.warnings {
            if !self.warnings.contains(&warning) {
                self.warnings.push(warning);
            }
        }
        if verified.holds {
            self.plan.complete(work.step);
            self.answer = Some(verified.response);
            return self.check(work.manner);
        }
        self.plan.fail(work.step, HALLUCINATION);
        let told = match verified.reasons.is_empty() {
            true => "the answer is not supported by the passages".to_owned(),
            false => verified.reasons.join("; "),
        };
        let mut failed = Failed::new("tailor", HALLUCINATION, told);
        failed.recoverable = true;
        self.unsupported(work.manner, failed);
    }

    /// An answer that nothing supports: once more, strictly; then it is not known.
    fn unsupported(&mut self, manner: Manner, failed: Failed) {
        self.failures.push(failed);
        if !manner.strict {
            let manner = Manner { strict: true, ..manner };
            return self.write("Write the answer again, strictly from the passages", manner, false);
        }
        self.answer = Some(self.refusal(
            "I don't know: what could be said about this is not supported by the documents.",
        ));
        self.check(manner);
    }

    fn checked(&mut self, work: Work, output: Value) {
        let checked: Checked = match serde_json::from_value(output) {
            Ok(checked) => checked,
            Err(cause) => return self.broken("guardrails", &cause.to_string()),
        };
        if checked.is_safe {
            self.plan.complete(work.step);
            self.stage = Stage::Save;
            return;
        }
        let mut failed = Failed::new("guardrails", UNSAFE, checked.reasoning);
        failed.recoverable = !work.manner.safe;
        if let Some(risk) = checked.risk_category {
            let details = json!({ "risk_category": risk });
            failed.details = details.as_object().cloned();
        }
        self.not_safe(work, failed);
    }

    fn check_failed(&mut self, work: Work, failed: Failed) {
        match failed.error_code.as_str() {
            UNSAFE => self.not_safe(work, failed),
            // A guard that fails lets nothing through.
            _ => self.work_failed(work, failed, Stage::Check),
        }
    }

    /// An answer that must not go out: once more, with stricter instructions; then nothing goes out.
    fn not_safe(&mut self, work: Work, failed: Failed) {
        self.plan.fail(work.step, UNSAFE);
        if work.manner.safe {
            return self.stop(failed);
        }
        self.failures.push(failed);
        let manner = Manner { safe: true, ..work.manner };
        self.write("Write the answer again, without what must not go out", manner, false);
    }

    /// A step that failed by itself: once more if it took too long, otherwise the turn stops.
    fn work_failed(&mut self, work: Work, failed: Failed, stage: fn(Work) -> Stage) {
        self.plan.fail(work.step, &failed.error_code);
        if failed.error_code != TIMEOUT || work.is_again {
            return self.stop(failed);
        }
        self.failures.push(failed);
        let (tool, told) = match stage(work) {
            Stage::Verify(_) => (tool::VERIFIER, "Verify again"),
            Stage::Check(_) => (tool::GUARD_OUTPUT, "Check again what goes back"),
            Stage::Write(_) | Stage::Search | Stage::Save | Stage::Over => {
                (tool::TAILOR, "Write the answer again")
            }
        };
        let step = self.plan.begin(tool, told.to_owned());
        self.stage = stage(Work { step, is_again: true, manner: work.manner });
    }

    fn broken(&mut self, key: &str, cause: &str) {
        let told = format!("what the step {key} gave is not understood: {cause}");
        self.stop(Failed::new(named(key).0, "INTERNAL_ERROR", told));
    }

    /// The turn has no answer. It is kept all the same: the user said something.
    fn stop(&mut self, failed: Failed) {
        // Searches side by side may fail together; the first one counts.
        if self.stopped.is_none() {
            self.failures.push(failed.clone());
            self.stopped = Some(failed);
        }
        self.answer = None;
        self.stage = Stage::Save;
    }

    fn refusal(&self, told: &str) -> Value {
        json!({
            "content": told,
            "citations": [],
            "tone_used": self.input.persona,
            "follow_up_suggestions": [],
            "confidence_score": 0.0,
        })
    }

    fn question_at(&self, step: usize) -> Option<usize> {
        let is_at = |question: &Question| matches!(question.search, Search::Open { step: at, .. } if at == step);
        self.questions.iter().position(is_at)
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
            session_id: self.input.session.clone(),
        })
    }
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
