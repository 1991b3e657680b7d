//! A text that is held against the guard by itself.

use consign_contracts::crew::{CheckType, GuardrailsInput};
use consign_guard::{Guard, Marks, Options, Verdict};
use serde_json::{Value, json};

use crate::{Home, error::Error};

/// What the guard says of a text: contract `crew/guardrails.output`, with `score`.
#[derive(Clone, Debug)]
pub struct Checked(Verdict);

impl Checked {
    #[must_use]
    pub fn to_value(&self) -> Value {
        let verdict = &self.0;
        json!({
            "is_safe": verdict.is_safe,
            "sanitized_content": verdict.sanitized,
            "risk_category": verdict.risk.as_str(),
            "reasoning": verdict.reasoning,
            "score": verdict.score,
        })
    }

    #[must_use]
    pub fn verdict(&self) -> &Verdict {
        &self.0
    }
}

/// A guard that takes names and places for private too.
#[must_use]
pub fn named_entities(home: &Home) -> Guard {
    Guard::new(Options { redact_entities: true, ..home.turn_settings.guard.clone() })
}

/// Holds a text against a guard: the home's own, or another one.
pub async fn guard(
    home: &Home,
    other: Option<&Guard>,
    input: &GuardrailsInput,
) -> Result<Checked, Error> {
    let guard = other.cloned().unwrap_or_else(|| (*home.turns.guard).clone());
    let (content, check) = (input.content.clone(), input.check_type);
    let checking = tokio::task::spawn_blocking(move || {
        // Marks of one text mean nothing in another.
        let mut marks = Marks::new(crate::machine::random());
        match check {
            CheckType::InputValidation => guard.check_input(&content, &mut marks),
            CheckType::OutputSafety => guard.check_output(&content, &mut marks),
        }
    });
    // What cannot be checked is not safe.
    let verdict =
        checking.await.unwrap_or_else(|_| Verdict::blocked(consign_guard::Risk::MaliciousCode));
    Ok(Checked(verdict))
}
