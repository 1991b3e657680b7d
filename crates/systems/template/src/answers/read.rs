//! Reads an agent's text as a message that keeps its contract.

use consign_contracts::{
    Contract,
    bridge::{AgentCreation, AgentEnhancement, CodebaseAnalysis, ErrorType, PhaseName},
    schema::Verdict,
    wire::{Message, Refused},
};
use consign_models::repair::{self, Expected, Unmendable};

use crate::plain;

/// Longer answers are refused unread.
const LONGEST: usize = 10 << 20;
const MOST_BREACHES: usize = 20;
const LONGEST_BREACH: usize = 400;

/// An answer that keeps its contract.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Answer {
    Analysis(Box<CodebaseAnalysis>),
    Agents(AgentCreation),
    Enhancement(AgentEnhancement),
}

/// An answer that cannot be used, and why.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Unusable {
    /// A `PARSE_ERROR`: it holds no JSON, or more than one reading is possible.
    #[error("the answer is not JSON: {0}")]
    NotJson(String),
    /// A `VALIDATION_ERROR`: at least one rule of the contract, each with its place.
    #[error("the answer breaks its contract: {}", .0.join("; "))]
    Breaks(Vec<String>),
}

impl Unusable {
    /// What the bridge calls it.
    #[must_use]
    pub const fn error_type(&self) -> ErrorType {
        match self {
            Self::NotJson(_) => ErrorType::ParseError,
            Self::Breaks(_) => ErrorType::ValidationError,
        }
    }
}

/// Reads the answer to a phase. A code fence and words around the JSON are passed over; nothing is made up.
pub fn read(phase: PhaseName, text: &str) -> Result<Answer, Unusable> {
    match phase {
        PhaseName::CodebaseAnalysis => message(text).map(Box::new).map(Answer::Analysis),
        PhaseName::AgentCreation => message(text).map(Answer::Agents),
        PhaseName::AgentEnhancement => message(text).map(Answer::Enhancement),
    }
}

/// The contract of the answer to a phase.
#[must_use]
pub fn contract(phase: PhaseName) -> &'static Contract {
    match phase {
        PhaseName::CodebaseAnalysis => CodebaseAnalysis::contract(),
        PhaseName::AgentCreation => AgentCreation::contract(),
        PhaseName::AgentEnhancement => AgentEnhancement::contract(),
    }
}

fn message<T: Message>(text: &str) -> Result<T, Unusable> {
    if text.len() > LONGEST {
        let said = format!("it has {} bytes; the limit is {LONGEST}", text.len());
        return Err(Unusable::NotJson(said));
    }
    let schema = T::contract().schema();
    let mended = repair::read(text, Some(Expected::from(schema))).map_err(|why| match why {
        Unmendable::Breached(verdict) => breaks(&verdict),
        Unmendable::Empty
        | Unmendable::NoValue
        | Unmendable::Malformed(_)
        | Unmendable::SeveralValues(_)
        | Unmendable::CutOff(_) => not_json(&why.to_string()),
    })?;
    T::from_json(mended.output.as_str().as_bytes()).map_err(|refused| match refused {
        Refused::Malformed(why) => not_json(&why.to_string()),
        Refused::Breached(breaches) => breaks(&Verdict { breaches, more: false }),
    })
}

fn not_json(why: &str) -> Unusable {
    Unusable::NotJson(plain::line(why, LONGEST_BREACH))
}

fn breaks(verdict: &Verdict) -> Unusable {
    let breaches = verdict.breaches.iter().take(MOST_BREACHES);
    // A breach quotes the answer.
    Unusable::Breaks(
        breaches.map(|breach| plain::line(&breach.to_string(), LONGEST_BREACH)).collect(),
    )
}

#[cfg(test)]
mod tests;
