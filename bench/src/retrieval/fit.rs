//! Calibration: which logistic function tells right answers from wrong ones, by what speaks for them.

use consign_embeddings::Arctic;
use consign_knowledge::{Ask, AskVector, Calibration, Filters, Query, Signals};
use serde_json::{Value, json};

use super::set::Set;
use crate::clock::rounded;

const STEPS: usize = 400_000;

/// Fits both ways of searching, and says how they and those in use judge.
pub(super) fn fitted(sets: &[Set]) -> Value {
    let (right, wrong) = judged(sets);
    let of = |with_cosine: bool| {
        let used = if with_cosine { Arctic::about().calibration } else { Calibration::TEXT };
        let fitted = fit(&right, &wrong, with_cosine);
        let told = |calibration: Calibration| {
            let share = |all: &[Signals]| {
                let found = all.iter().filter(|one| finds(calibration, one, with_cosine)).count();
                rounded(found as f64 / all.len() as f64)
            };
            json!({
                "offset": rounded(calibration.offset),
                "coverage": rounded(calibration.coverage),
                "cosine": rounded(calibration.cosine),
                "right_found": share(&right),
                "wrong_found": share(&wrong),
            })
        };
        json!({"fitted": told(fitted), "used": told(used)})
    };
    json!({"right": right.len(), "wrong": wrong.len(), "words": of(false), "both": of(true)})
}

/// Right answers; and the best that there is where the answer is not, as a person would be shown it.
fn judged(sets: &[Set]) -> (Vec<Signals>, Vec<Signals>) {
    let (mut right, mut wrong) = (Vec::new(), Vec::new());
    for (place, set) in sets.iter().enumerate() {
        for question in &set.questions {
            let mut near = set.signals(&question.text, &question.query);
            right.push(near.remove(question.answer));
            let others = sets.iter().enumerate().filter(|(other, _)| *other != place);
            for (_, other) in others.filter(|(_, other)| other.languages == set.languages) {
                let all = other.signals(&question.text, &question.query);
                wrong.extend(best(&all, |one| one.coverage));
                wrong.extend(best(&all, cosine));
            }
            wrong.extend(best(&near, cosine));
        }
    }
    (right, wrong)
}

fn best(all: &[Signals], score: impl Fn(&Signals) -> f64) -> Option<Signals> {
    all.iter().max_by(|a, b| score(a).total_cmp(&score(b))).copied()
}

fn cosine(signals: &Signals) -> f64 {
    f64::from(signals.cosine.unwrap_or_default())
}

/// Whether an answer is found at the contract's minimum.
fn finds(calibration: Calibration, signals: &Signals, with_cosine: bool) -> bool {
    if !with_cosine {
        let weight = calibration.offset + calibration.coverage * signals.coverage;
        return weight >= (0.7_f64 / 0.3).ln() && signals.coverage > 0.0;
    }
    let Some(query) = Query::of(&[1.0]) else { return false };
    let vector = Some(AskVector { model: String::new(), query, calibration });
    let (filters, question) = (Filters::default(), String::new());
    Ask { question, vector, filters, top_k: 1, min_relevance: 0.7 }.judge().finds(signals)
}

/// By gradient descent, right and wrong counted as equally many.
fn fit(right: &[Signals], wrong: &[Signals], with_cosine: bool) -> Calibration {
    let row = |one: &Signals| [1.0, one.coverage, if with_cosine { cosine(one) } else { 0.0 }];
    let weight = |all: &[Signals]| 0.5 / all.len() as f64;
    let rows: Vec<([f64; 3], f64, f64)> = right
        .iter()
        .map(|one| (row(one), 1.0, weight(right)))
        .chain(wrong.iter().map(|one| (row(one), 0.0, weight(wrong))))
        .collect();
    let mut weights = [0.0; 3];
    for _ in 0..STEPS {
        let mut slope = [0.0; 3];
        for (row, target, weight) in &rows {
            let sum: f64 = row.iter().zip(weights).map(|(a, b)| a * b).sum();
            let error = 1.0 / (1.0 + (-sum).exp()) - target;
            for (slope, value) in slope.iter_mut().zip(row) {
                *slope += weight * error * value;
            }
        }
        for (at, slope) in slope.iter().enumerate() {
            // A little is held against large weights, except for the offset.
            let held = if at == 0 { 0.0 } else { 2e-4 * weights[at] };
            weights[at] -= 1.5 * (slope + held);
        }
    }
    Calibration { offset: weights[0], coverage: weights[1], cosine: weights[2] }
}
