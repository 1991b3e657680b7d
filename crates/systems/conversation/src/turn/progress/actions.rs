//! What follows from what an agent gave, or from its failure: the actions of docs/spec/crew.md.

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::{
    HALLUCINATION, Manner, NO_RESULTS, Question, Search, Stage, TIMEOUT, TurnProgress, UNSAFE,
    Work, named,
};
use crate::{failure::Failed, turn::steps::tool};

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
    /// How many of its sentences were taken out.
    #[serde(default)]
    pub(crate) removed: u64,
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
    pub(super) fn found(&mut self, step: usize, output: &Value) {
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

    pub(super) fn search_failed(&mut self, step: usize, failed: Failed) {
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
                self.note(failed);
                let step = self.plan.begin(tool::MEMORY, told);
                Search::Open { step, is_broad, is_again }
            }
            None if is_empty => {
                self.note(failed);
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

    pub(super) fn verify(&mut self, manner: Manner) {
        let step = self.plan.begin(tool::VERIFIER, "Verify each citation and sentence".to_owned());
        self.stage = Stage::Verify(Work { step, is_again: false, manner });
    }

    fn check(&mut self, manner: Manner) {
        let step = self.plan.begin(tool::GUARD_OUTPUT, "Check what goes back".to_owned());
        self.stage = Stage::Check(Work { step, is_again: false, manner });
    }

    pub(super) fn write_failed(&mut self, work: Work, failed: Failed) {
        if failed.error_code != HALLUCINATION {
            return self.work_failed(work, failed, Stage::Write);
        }
        self.plan.fail(work.step, HALLUCINATION);
        self.unsupported(work.manner, failed);
    }

    pub(super) fn verified(&mut self, work: Work, output: Value) {
        let verified: Verified = match serde_json::from_value(output) {
            Ok(verified) => verified,
            Err(cause) => return self.broken("verifier", &cause.to_string()),
        };
        for warning in verified.warnings {
            if !self.warnings.contains(&warning) {
                self.warnings.push(warning);
            }
        }
        self.unsupported += verified.removed;
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
        self.note(failed);
        if !manner.strict {
            let manner = Manner { strict: true, ..manner };
            return self.write("Write the answer again, strictly from the passages", manner, false);
        }
        self.answer = Some(self.refusal(
            "I don't know: what could be said about this is not supported by the documents.",
        ));
        self.check(manner);
    }

    pub(super) fn checked(&mut self, work: Work, output: Value) {
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
        if let Some(risk) = checked.risk_category {
            let details = json!({ "risk_category": risk });
            failed.details = details.as_object().cloned();
        }
        self.not_safe(work, failed);
    }

    pub(super) fn check_failed(&mut self, work: Work, failed: Failed) {
        match failed.error_code.as_str() {
            UNSAFE => self.not_safe(work, failed),
            // A guard that fails lets nothing through.
            _ => self.work_failed(work, failed, Stage::Check),
        }
    }

    /// An answer that must not go out: once more, with stricter instructions; then nothing goes out.
    fn not_safe(&mut self, work: Work, mut failed: Failed) {
        self.plan.fail(work.step, UNSAFE);
        failed.recoverable = !work.manner.safe;
        if work.manner.safe {
            return self.stop(failed);
        }
        self.note(failed);
        let manner = Manner { safe: true, ..work.manner };
        self.write("Write the answer again, without what must not go out", manner, false);
    }

    /// A step that failed by itself: once more if it took too long, otherwise the turn stops.
    pub(super) fn work_failed(&mut self, work: Work, failed: Failed, stage: fn(Work) -> Stage) {
        self.plan.fail(work.step, &failed.error_code);
        if failed.error_code != TIMEOUT || work.is_again {
            return self.stop(failed);
        }
        self.note(failed);
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

    fn note(&mut self, failed: Failed) {
        self.failures.push(failed.at(self.at));
    }

    pub(super) fn broken(&mut self, key: &str, cause: &str) {
        let told = format!("what the step {key} gave is not understood: {cause}");
        self.stop(Failed::new(named(key).0, "INTERNAL_ERROR", told));
    }

    /// The turn has no answer. It is kept all the same: the user said something.
    fn stop(&mut self, failed: Failed) {
        // Searches side by side may fail together; the first one counts.
        if self.stopped.is_none() {
            self.note(failed);
            self.stopped = self.failures.last().cloned();
        }
        self.plan.give_up();
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
}
