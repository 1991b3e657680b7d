//! Decides what follows from a reply: it is accepted, asked for again, or replaced by heuristics.

use consign_contracts::bridge::{ErrorType, PhaseName, Recovery};

use super::{Cause, MOST_TRIES, Reply};
use crate::answers::{self, Answer, Gate, Unusable, Verdict};

/// The decision about a reply.
#[derive(Clone, Debug)]
pub enum Judgement {
    /// It counts. `doubt` is a warning about a low confidence.
    Accepted { answer: Answer, confidence: f64, doubt: Option<String> },
    /// Ask again, with more time.
    Again { cause: Cause, why: String },
    /// Continue with what was found without an agent.
    Heuristics { status: &'static str, why: String },
}

/// Judges a reply to a request that was tried so often before.
#[must_use]
pub fn judge(phase: PhaseName, reply: &Reply, retries: u8) -> Judgement {
    match reply {
        Reply::Answered { text, confidence } => answered(phase, text, *confidence),
        Reply::Failed { cause, message } => failed(*cause, message, retries),
    }
}

fn answered(phase: PhaseName, text: &str, confidence: Option<f64>) -> Judgement {
    let answer = match answers::read(phase, text) {
        Ok(answer) => answer,
        Err(Unusable::NotJson(why)) => {
            return unusable(ErrorType::ParseError, &format!("the answer is not JSON: {why}"));
        }
        Err(Unusable::Breaks(breaches)) => {
            let first = breaches.first().map_or("", String::as_str);
            let more = match breaches.len() {
                0 | 1 => String::new(),
                all => format!(" (and {} more)", all - 1),
            };
            let why = format!("the answer breaks its contract: {first}{more}");
            return unusable(ErrorType::ValidationError, &why);
        }
    };
    let confidence = answers::confidence(confidence, &answer);
    let gate = Gate::of(phase);
    match gate.judge(confidence) {
        Verdict::Accepted => Judgement::Accepted { answer, confidence, doubt: None },
        Verdict::Doubtful => {
            let doubt =
                format!("confidence {confidence} is below {}: review the answer", gate.accept);
            Judgement::Accepted { answer, confidence, doubt: Some(doubt) }
        }
        Verdict::Refused => Judgement::Heuristics {
            status: "refused",
            why: format!("confidence {confidence} is below {}", gate.doubt),
        },
    }
}

fn unusable(kind: ErrorType, why: &str) -> Judgement {
    Judgement::Heuristics { status: "error", why: format!("{kind}: {why}") }
}

fn failed(cause: Cause, message: &str, retries: u8) -> Judgement {
    let why = format!("{}: {message}", cause.code());
    match cause.recovery() {
        Recovery::Retry if retries.saturating_add(1) < MOST_TRIES => {
            Judgement::Again { cause, why }
        }
        Recovery::Retry => Judgement::Heuristics {
            status: cause.status(),
            why: format!("{why} ({MOST_TRIES} tries)"),
        },
        Recovery::Fallback => Judgement::Heuristics { status: cause.status(), why },
    }
}
