//! The engine's own questions: a higher limit, the outcome of a call, a look at a broken workflow.

use super::{Planner, schema};
use crate::{
    AskKind, Data, Fault, FaultClass, Key,
    frame::{Open, Phase},
    journal::{AskWithdrawn, Asked},
    store::AskChange,
};

const RAISE: &str = r#"{"type":"object","properties":{"cost_usd":{"type":"number","minimum":0},"minutes":{"type":"number","minimum":0},"calls":{"type":"integer","minimum":0}},"minProperties":1,"additionalProperties":false}"#;
/// The answer to a reached limit of the owner. A run cannot raise that limit: it can only look again.
const RETRY: &str = r#"{"type":"object","properties":{"retry":{"const":true}},"required":["retry"],"additionalProperties":false}"#;
const OUTCOME: &str = r#"{"type":"object","properties":{"outcome":{"enum":["done","not_done","failed"]},"output":{},"message":{"type":"string"}},"required":["outcome"],"additionalProperties":false}"#;

impl Planner<'_> {
    /// Opens the questions that the engine has now, and withdraws those it no longer has.
    pub(super) fn own_asks(&mut self) -> Result<(), Fault> {
        // Calls under way may cost less than was held back, so they are waited for.
        let open = self.run.frame.limit_ask().cloned();
        let limit = self.blocked.clone().filter(|_| !self.in_flight());
        match limit {
            // Another limit wants another answer.
            Some(fault) if !self.asks_about(open.as_ref(), &fault) => {
                if let Some(key) = open {
                    self.withdraw(key)?;
                }
                self.ask_limit(&fault)?;
            }
            // Once something begins, the question is about a limit that is no longer in the way: the
            // next one may be another.
            None if self.blocked.is_none() || self.starting > 0 => {
                if let Some(key) = open {
                    self.withdraw(key)?;
                }
            }
            Some(_) | None => {}
        }
        if let Some(key) = self.run.frame.stuck_ask().cloned() {
            self.withdraw(key)?;
        }
        let unknown: Vec<_> = self
            .run
            .frame
            .open
            .iter()
            .filter_map(|(key, open)| match open {
                Open::Call(call) if call.phase == Phase::Unknown => {
                    Some((key.clone(), call.attempt, call.lost.clone()))
                }
                Open::Call(_) | Open::Ask { .. } | Open::Timer { .. } => None,
            })
            .collect();
        for (of, attempt, lost) in &unknown {
            let key = Key::outcome(of, *attempt);
            if !self.run.frame.open.contains_key(&key) {
                self.ask_outcome(key, of, lost.as_ref())?;
            }
        }
        let idle: Vec<_> = self
            .run
            .frame
            .open
            .keys()
            .filter(|key| {
                let of = key.asks_outcome_of();
                of.is_some_and(|of| {
                    !unknown.iter().any(|(key, attempt, _)| of == (key.clone(), *attempt))
                })
            })
            .cloned()
            .collect();
        for key in idle {
            self.withdraw(key)?;
        }
        Ok(())
    }

    fn ask_limit(&mut self, fault: &Fault) -> Result<(), Fault> {
        let (how, answer) = if fault.code == "LIMIT_OWNER" {
            ("Raise what the owner may spend, or say that it looks again", RETRY)
        } else {
            ("Raise it to go on", RAISE)
        };
        self.ask(Asked {
            key: Key::limit(self.run.frame.questions + 1),
            kind: AskKind::Limit,
            prompt: format!("{}. {how}.", capitalised(&fault.message)),
            schema: schema(answer),
            deadline: None,
            default: None,
            about: Some(fault.clone()),
            agent: None,
        })
    }

    fn ask_outcome(&mut self, key: Key, of: &Key, lost: Option<&Fault>) -> Result<(), Fault> {
        let (fault, prompt) = match lost {
            Some(fault) if fault.class != FaultClass::OutcomeUnknown => referred(of, fault),
            lost => self.unknown(of, lost),
        };
        self.ask(Asked {
            key,
            kind: AskKind::Intervention,
            prompt,
            schema: schema(OUTCOME),
            deadline: None,
            default: None,
            about: Some(fault),
            agent: None,
        })
    }

    /// What an attempt did is unknown.
    fn unknown(&self, of: &Key, lost: Option<&Fault>) -> (Fault, String) {
        let text = match lost {
            Some(fault) => format!("the outcome of call {of} is unknown: {}", fault.message),
            None => {
                format!("the process that made call {of} ended before it could say what came of it")
            }
        };
        let fault = Fault::outcome_unknown("OUTCOME_UNKNOWN", text);
        let prompt = format!(
            "{}. Look whether it had its effect (idempotency key {}:{of}), then say `done` (with its output), `not_done` or `failed`.",
            capitalised(&fault.message),
            self.run.frame.origins.get(of).unwrap_or(&self.run.id)
        );
        (fault, prompt)
    }

    fn withdraw(&mut self, key: Key) -> Result<(), Fault> {
        self.asks.push(AskChange::Withdraw(key.clone()));
        self.note(AskWithdrawn { key }).map(|_| ())
    }

    fn asks_about(&self, key: Option<&Key>, fault: &Fault) -> bool {
        let open = key.and_then(|key| self.run.frame.open.get(key));
        matches!(open, Some(Open::Ask { about: Some(code), .. }) if *code == fault.code)
    }
}

/// The agent has tried what it could and asks for a person to decide.
fn referred(of: &Key, fault: &Fault) -> (Fault, String) {
    let details = fault.details.as_ref().map(Data::shown);
    let detail = |name: &str| details.as_ref().and_then(|details| details.get(name)?.as_str());
    let why = detail("cause").unwrap_or(&fault.message).trim_end_matches('.');
    let mut prompt = format!(
        "Call {of} came to nothing: {why}. Say `done` with the output that it should have, `not_done` to have it tried again from the start, or `failed`."
    );
    if let Some(answer) = detail("answer") {
        prompt.push_str(&format!("\nThe last answer was:\n{answer}"));
    }
    (fault.clone(), prompt)
}

fn capitalised(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}
