//! What a check says, and how it says it: never with the words that were found.

use std::ops::Range;

use serde::{Deserialize, Serialize};

use crate::{
    Marks, PersonalData,
    personal::Value,
    threats::{Threat, Threats},
};

/// Why a text is not as it should be. Of several the first in this order counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Risk {
    Injection,
    MaliciousCode,
    HateSpeech,
    Pii,
    None,
}

impl Risk {
    /// The word that contract `crew/guardrails.output` has for it.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Injection => "injection",
            Self::MaliciousCode => "malicious_code",
            Self::HateSpeech => "hate_speech",
            Self::Pii => "pii",
            Self::None => "none",
        }
    }
}

/// One thing that was found, without its words.
#[derive(Clone, Debug, PartialEq)]
pub struct Finding {
    pub risk: Risk,
    /// The rule or the type of data, in words: `instruction override`, `e-mail address`.
    pub kind: String,
    /// Where it is, in bytes of the text that was checked.
    pub span: Range<usize>,
    /// What stands in its place, of personal data.
    pub mark: Option<String>,
    pub data: Option<PersonalData>,
}

/// What a check says.
#[derive(Clone, Debug, PartialEq)]
pub struct Verdict {
    pub is_safe: bool,
    /// What may go on: the text, the text with marks for personal data, or nothing.
    pub sanitized: String,
    pub risk: Risk,
    /// In plain words, and never what was found.
    pub reasoning: String,
    /// How sure it is that the text should be blocked or redacted, in 0..=1.
    pub score: f64,
    pub found: Vec<Finding>,
}

impl Verdict {
    /// The verdict when a check could not be run to its end: a guard that fails, fails closed.
    #[must_use]
    pub fn blocked(risk: Risk) -> Self {
        Self {
            is_safe: false,
            sanitized: String::new(),
            risk,
            reasoning: "The text could not be checked, so it is blocked.".to_owned(),
            score: 1.0,
            found: Vec::new(),
        }
    }
}

/// The verdict when a threat reaches the threshold.
pub(crate) fn blocked(threats: &Threats, threshold: f64) -> Option<Verdict> {
    let of = |risk| threats.worst(risk).filter(|score| *score >= threshold);
    let (risk, score) = [Risk::Injection, Risk::MaliciousCode, Risk::HateSpeech]
        .into_iter()
        .find_map(|risk| of(risk).map(|score| (risk, score)))?;
    let counted: Vec<&Threat> = threats.iter().filter(|it| it.risk == risk).collect();
    let mut kinds: Vec<&str> = Vec::new();
    for threat in &counted {
        if !kinds.contains(&threat.kind) {
            kinds.push(threat.kind);
        }
    }
    let what = match risk {
        Risk::Injection => {
            "tries to change or read the assistant's instructions, or to make it act"
        }
        Risk::MaliciousCode => "asks for code that does harm, or contains it",
        Risk::HateSpeech => "attacks people",
        Risk::Pii => "contains personal data",
        Risk::None => "is not allowed",
    };
    let signs =
        if kinds.is_empty() { "its wording as a whole".to_owned() } else { kinds.join(", ") };
    let found = threats
        .iter()
        .map(|it| Finding {
            risk: it.risk,
            kind: it.kind.to_owned(),
            span: it.span.clone(),
            mark: None,
            data: None,
        })
        .collect();
    Some(Verdict {
        is_safe: false,
        sanitized: String::new(),
        risk,
        reasoning: format!("The text is blocked because it {what}. Signs: {signs}."),
        score,
        found,
    })
}

/// The verdict when nothing blocks the text: it goes on, with marks for what is personal.
pub(crate) fn redacted(
    text: &str,
    values: &[Value],
    score: f64,
    marks: &mut Marks,
    goes_on: bool,
) -> Verdict {
    if values.is_empty() {
        return Verdict {
            is_safe: true,
            sanitized: text.to_owned(),
            risk: Risk::None,
            reasoning: "Nothing was found that speaks against the text.".to_owned(),
            score,
            found: Vec::new(),
        };
    }
    let mut sanitized = String::with_capacity(text.len());
    let mut found = Vec::with_capacity(values.len());
    let mut counts: Vec<(PersonalData, usize)> = Vec::new();
    let mut from = 0;
    for value in values {
        let mark = marks.mark(value.kind, &value.canonical);
        sanitized.push_str(text.get(from..value.span.start).unwrap_or_default());
        sanitized.push_str(&mark);
        from = value.span.end;
        match counts.iter_mut().find(|(kind, _)| *kind == value.kind) {
            Some((_, count)) => *count += 1,
            None => counts.push((value.kind, 1)),
        }
        found.push(Finding {
            risk: Risk::Pii,
            kind: value.kind.words().to_owned(),
            span: value.span.clone(),
            mark: Some(mark),
            data: Some(value.kind),
        });
    }
    sanitized.push_str(text.get(from..).unwrap_or_default());
    let list: Vec<String> =
        counts.iter().map(|(kind, count)| format!("{} ({count})", kind.words())).collect();
    let list = list.join(", ");
    let reasoning = if goes_on {
        format!("The text contains personal data, and goes on with marks in its place: {list}.")
    } else {
        format!("The text contains personal data that an answer may not carry: {list}.")
    };
    Verdict { is_safe: goes_on, sanitized, risk: Risk::Pii, reasoning, score: 1.0, found }
}
