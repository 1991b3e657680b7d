//! Finds injections, malicious code and hate speech.
//!
//! A text is read in several ways (as it is, with disguises undone, with what is encoded in it decoded). In each, the
//! words of [`lexicon`] are looked for in one pass, [`rules`] say which of them in which order are a threat, [`signs`]
//! knows what is recognised by its form rather than by words, and the classifier judges the wording as a whole. What
//! they say becomes one score for each risk.

mod context;
pub(crate) mod lexicon;
mod reading;
mod rules;
mod signs;

use std::ops::Range;

use crate::{Risk, classifier, windows::windows};

pub(crate) use reading::{begins_with_order, in_passage};

/// One sign of a threat.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Threat {
    pub(crate) risk: Risk,
    /// In words that can be shown.
    pub(crate) kind: &'static str,
    /// How sure this alone makes, in 0..1.
    pub(crate) score: f64,
    /// In bytes of the text.
    pub(crate) span: Range<usize>,
}

/// All signs in a text, and the classifier's word on its wording.
#[derive(Debug, Default)]
pub(crate) struct Threats {
    signs: Vec<Threat>,
    /// How much the wording is that of an injection, at the worst place.
    wording: f64,
}

impl Threats {
    pub(crate) fn iter(&self) -> impl Iterator<Item = &Threat> {
        self.signs.iter()
    }

    /// How sure it is that a risk is there, if there is any sign of it.
    pub(crate) fn worst(&self, risk: Risk) -> Option<f64> {
        let signs = self.signs.iter().filter(|it| it.risk == risk);
        let doubt: f64 = strongest_of_each(signs).map(|score| 1.0 - score).product();
        let wording = if risk == Risk::Injection { self.wording } else { 0.0 };
        let score = combined(1.0 - doubt, wording);
        (score > 0.0).then_some(score)
    }

    pub(crate) fn score(&self) -> f64 {
        [Risk::Injection, Risk::MaliciousCode, Risk::HateSpeech]
            .into_iter()
            .filter_map(|risk| self.worst(risk))
            .fold(0.0, f64::max)
    }
}

/// A sign that is there often is no surer than where it is strongest.
fn strongest_of_each<'a>(signs: impl Iterator<Item = &'a Threat>) -> impl Iterator<Item = f64> {
    let mut kinds: Vec<(&str, f64)> = Vec::new();
    for sign in signs {
        match kinds.iter_mut().find(|(kind, _)| *kind == sign.kind) {
            Some((_, score)) => *score = score.max(sign.score),
            None => kinds.push((sign.kind, sign.score)),
        }
    }
    kinds.into_iter().map(|(_, score)| score)
}

/// How far the wording alone can go: just past the default threshold when it could not be plainer.
const WORDING_ALONE: f64 = 0.6;

/// Rules and wording as one: each takes away from the other's doubt.
pub(crate) fn combined(rules: f64, wording: f64) -> f64 {
    1.0 - (1.0 - rules) * (1.0 - WORDING_ALONE * wording)
}

/// In retrieved text wording alone cuts nothing at the default threshold: documents have all kinds of wording.
const WORDING_IN_PASSAGE: f64 = 0.4;

pub(crate) fn combined_in_passage(rules: f64, wording: f64) -> f64 {
    1.0 - (1.0 - rules) * (1.0 - WORDING_IN_PASSAGE * wording)
}

/// Everything in a text that speaks against it.
pub(crate) fn look(text: &str) -> Threats {
    let mut threats = Threats::default();
    for (start, piece) in windows(text) {
        let found = reading::look(piece);
        threats.wording = threats.wording.max(classifier::worst(piece)).max(found.wording);
        threats.signs.extend(found.signs.into_iter().map(|mut sign| {
            sign.span = start + sign.span.start..start + sign.span.end;
            sign
        }));
    }
    threats.signs.sort_by_key(|it| (it.span.start, it.span.end));
    threats.signs.dedup();
    threats
}
