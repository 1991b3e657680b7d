//! The words of a question, and what each of them counts.

use std::rc::Rc;

use crate::{
    facts::Facts,
    lists::{self, Lists},
    phrase,
    plan::{Asks, SubQuestion},
    reader::{Reader, is_content},
    weights::{Weights, weight},
};

/// A question, as it is compared with sentences.
pub(super) struct Question {
    pub(super) terms: Vec<Term>,
    pub(super) asks: Asks,
    pub(super) lists: &'static Lists,
    pub(super) facts: Facts,
    pub(super) is_measure: bool,
}

pub(super) struct Term {
    pub(super) stems: Rc<[String]>,
    pub(super) weight: f64,
    /// A name, an id or a number: what it stands for cannot be said otherwise.
    pub(super) is_name: bool,
    /// Carried over from what was asked before.
    pub(super) is_carried: bool,
}

/// What a word counts that was carried over, and one of measure.
const CARRIED: f64 = 0.6;
const MEASURE: f64 = 0.35;
const NAME: f64 = 1.3;

impl Question {
    pub(super) fn of(
        question: &SubQuestion,
        reader: &Reader,
        weights: Option<&Weights>,
        is_found: impl Fn(&[String]) -> bool,
    ) -> Self {
        let lists = lists::of(lists::language_of(&question.text));
        let facts = Facts::in_language(&question.text, lists);
        let mut terms: Vec<Term> = Vec::new();
        for word in phrase::words(&question.text) {
            let normal = word.normal.as_str();
            if terms.len() >= MOST_TERMS || !is_content(normal, lists) {
                continue;
            }
            let stems = reader.stems(normal);
            if stems.is_empty() || terms.iter().any(|term| term.stems == stems) {
                continue;
            }
            let has_digit = normal.chars().any(|c| c.is_ascii_digit());
            let is_name = has_digit || facts.names.iter().any(|name| name.range == word.range);
            let is_carried = question.carried.contains(&word.normal);
            let mut weight = weight(weights, &stems, is_found(&stems));
            if is_carried {
                weight *= CARRIED;
            }
            if lists.measures.contains(&normal) {
                weight *= MEASURE;
            }
            if is_name {
                weight *= NAME;
            }
            terms.push(Term { stems, weight, is_name, is_carried });
        }
        let is_measure = phrase::words(&question.text)
            .iter()
            .any(|word| lists.measures.contains(&word.normal.as_str()));
        Self { is_measure, terms, asks: question.asks, lists, facts }
    }

    /// The weight of all its words.
    pub(super) fn whole(&self) -> f64 {
        self.terms.iter().map(|term| term.weight).sum::<f64>().max(1e-9)
    }
}

const MOST_TERMS: usize = 48;
