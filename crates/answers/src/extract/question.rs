//! The words of a question, and what each of them counts.

use std::rc::Rc;

use super::timing::Timing;
use crate::{
    concepts,
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
    /// The place of the word whose number is asked for: "How many people".
    pub(super) counted: Option<usize>,
    /// It asks for a sum of money; the stems of the words for that.
    pub(super) prices: Option<Rc<[String]>>,
    /// It asks for a date or a year by that name.
    pub(super) is_dated: bool,
    /// What it asks for the time before, during or after.
    pub(super) timing: Timing,
}

pub(super) struct Term {
    pub(super) stems: Rc<[String]>,
    /// The stems of words that mean as much.
    pub(super) alike: Rc<[String]>,
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
        let words = phrase::words(&question.text);
        let behind = phrase::find_any(&words, lists.how_many).map(|(at, count)| at + count);
        let counts = behind.and_then(|at| words.get(at)).map(|word| word.range.start);
        let mut counted = None;
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
            let alike: Vec<String> = concepts::alike(normal, lists.language)
                .flat_map(|other| reader.stems(other).to_vec())
                .filter(|stem| !stems.contains(stem))
                .collect();
            if counts.is_some_and(|at| word.range.start >= at) && counted.is_none() {
                counted = Some(terms.len());
            }
            terms.push(Term { stems, alike: alike.into(), weight, is_name, is_carried });
        }
        let is_measure = words.iter().any(|word| lists.measures.contains(&word.normal.as_str()));
        let when = phrase::find_any(&words, lists.when);
        let is_dated = when.is_some_and(|(_, count)| count > 1);
        let price = words.iter().find(|word| lists.prices.contains(&word.normal.as_str()));
        let prices = price.map(|word| {
            let all = concepts::alike(&word.normal, lists.language);
            all.flat_map(|other| reader.stems(other).to_vec()).collect()
        });
        let asks = question.asks;
        let timing = Timing::of(&question.text, reader);
        Self { is_measure, terms, asks, lists, facts, counted, prices, is_dated, timing }
    }

    /// The weight of all its words.
    pub(super) fn whole(&self) -> f64 {
        self.terms.iter().map(|term| term.weight).sum::<f64>().max(1e-9)
    }
}

const MOST_TERMS: usize = 48;
