//! Calibration: which logistic function tells right answers from the best that is found where the answer is not.
//!
//! The weights are fitted: right answers against the best passages of other sets in the same language. The offset is not:
//! it is set so that of so many questions about something else one finds a passage that reaches the contract's minimum
//! ([`ASTRAY`]), the same for each way of searching, and for languages that the model knows and others. That is what
//! makes 0.7 mean the same with each.

use consign_embeddings::Arctic;
use consign_knowledge::{Ask, AskVector, Calibration, Filters, Query, Signals};
use serde_json::{Map, Value, json};

use super::set::Set;
use crate::clock::rounded;

/// The share of questions about something else that find a passage at the minimum.
const ASTRAY: f64 = 0.1;
const MINIMUM: f64 = 0.7;

/// What is held against large weights, except for the offset.
const HELD: f64 = 1e-4;

/// A question in a set that has no answer to it: what speaks for each of the passages.
struct Astray<'a> {
    asked: &'a Set,
    searched: &'a Set,
    questions: Vec<Vec<Signals>>,
}

/// Fits both ways of searching, and says how they and those in use judge.
pub(super) fn fitted(sets: &[Set]) -> Value {
    let astray = astray(sets);
    let words = fit(sets, &astray, false);
    let both = fit(sets, &astray, true);
    let told = |calibration: &Calibration, with_cosine: bool| {
        let right = sets.iter().map(|set| {
            let found = |question: &super::set::Question| {
                let all = set.signals(&question.text, &question.query);
                question.answers.iter().any(|at| finds(calibration, &all[*at], with_cosine))
            };
            (set.name.clone(), share(&set.questions, found))
        });
        let wrong = astray.iter().map(|pair| {
            let found =
                |all: &Vec<Signals>| all.iter().any(|one| finds(calibration, one, with_cosine));
            (
                format!("{} in {}", pair.asked.name, pair.searched.name),
                share(&pair.questions, found),
            )
        });
        json!({
            "offset": rounded(calibration.offset),
            "coverage": rounded(calibration.coverage),
            "cosine": rounded(calibration.cosine),
            "foreign": rounded(calibration.foreign),
            "right_found": right.collect::<Map<_, _>>(),
            "astray_found": wrong.collect::<Map<_, _>>(),
        })
    };
    json!({
        "words": {"fitted": told(&words, false), "used": told(&Calibration::TEXT, false)},
        "both": {"fitted": told(&both, true), "used": told(&Arctic::about().calibration, true)},
    })
}

fn share<T>(all: &[T], found: impl Fn(&T) -> bool) -> Value {
    let count = all.iter().filter(|one| found(one)).count();
    json!(rounded(count as f64 / all.len().max(1) as f64))
}

/// Questions of each set, asked of the others in the same language. The two halves of a corpus are kept apart.
fn astray(sets: &[Set]) -> Vec<Astray<'_>> {
    let mut pairs = Vec::new();
    for asked in sets {
        for searched in sets {
            let is_other = asked.name != searched.name && asked.languages == searched.languages;
            if is_other && asked.fitted == searched.fitted {
                let questions = asked.questions.iter();
                let questions = questions.map(|one| searched.signals(&one.text, &one.query));
                pairs.push(Astray { asked, searched, questions: questions.collect() });
            }
        }
    }
    pairs
}

fn best(all: &[Signals], score: impl Fn(&Signals) -> f64) -> Option<Signals> {
    all.iter().max_by(|a, b| score(a).total_cmp(&score(b))).copied()
}

fn cosine(signals: &Signals) -> f64 {
    f64::from(signals.cosine.unwrap_or_default())
}

/// Whether a passage is found at the contract's minimum.
fn finds(calibration: &Calibration, signals: &Signals, with_cosine: bool) -> bool {
    if !with_cosine {
        let weight = calibration.offset + calibration.coverage * signals.coverage;
        return weight >= minimum() && signals.coverage > 0.0;
    }
    let Some(query) = Query::of(&[1.0]) else { return false };
    let vector = Some(AskVector { model: String::new(), query, calibration: *calibration });
    let (filters, question) = (Filters::default(), String::new());
    Ask { question, vector, filters, top_k: 1, min_relevance: MINIMUM }.judge().finds(signals)
}

fn minimum() -> f64 {
    (MINIMUM / (1.0 - MINIMUM)).ln()
}

fn fit(sets: &[Set], astray: &[Astray<'_>], with_cosine: bool) -> Calibration {
    let row = |one: &Signals| -> [f64; 4] {
        match with_cosine {
            true => [1.0, one.coverage, cosine(one), f64::from(u8::from(one.foreign))],
            false => [1.0, one.coverage, 0.0, 0.0],
        }
    };
    // What no word speaks for is nothing that words could judge.
    let counts = |one: &Signals| with_cosine || one.coverage > 0.0;
    let (mut right, mut wrong) = (Vec::new(), Vec::new());
    for set in sets.iter().filter(|set| set.fitted) {
        for question in &set.questions {
            let all = set.signals(&question.text, &question.query);
            let answers: Vec<Signals> = question.answers.iter().map(|at| all[*at]).collect();
            right.extend(best(&answers, |one| one.coverage + cosine(one)));
        }
    }
    let astray: Vec<_> = astray.iter().filter(|pair| pair.asked.fitted).collect();
    for all in astray.iter().flat_map(|pair| &pair.questions) {
        wrong.extend(best(all, |one| one.coverage));
        if with_cosine {
            wrong.extend(best(all, cosine));
        }
    }
    let rows =
        |all: Vec<Signals>| all.iter().filter(|one| counts(one)).map(row).collect::<Vec<_>>();
    let [_, coverage, cosine, _] = regression(&rows(right), &rows(wrong));
    let reached = |foreign: Option<bool>| {
        let pairs = astray.iter().filter(|pair| {
            let of = pair.questions.iter().flatten().next();
            foreign.is_none_or(|wanted| of.is_some_and(|one| one.foreign == wanted))
        });
        let most = |all: &Vec<Signals>| {
            let weights = all.iter().filter(|one| counts(one)).map(|one| {
                let [_, has, near, _] = row(one);
                coverage * has + cosine * near
            });
            weights.fold(f64::NEG_INFINITY, f64::max)
        };
        let pairs: Vec<Vec<f64>> =
            pairs.map(|pair| pair.questions.iter().map(most).collect()).collect();
        threshold(&pairs)
    };
    let (native, foreign) = match with_cosine {
        true => (reached(Some(false)), reached(Some(true))),
        false => (reached(None), 0.0),
    };
    Calibration {
        offset: minimum() - native,
        coverage,
        cosine,
        foreign: if with_cosine { (foreign - native) / cosine } else { 0.0 },
        ..match with_cosine {
            true => Arctic::about().calibration,
            false => Calibration::TEXT,
        }
    }
}

/// Where the share of questions that reach it is [`ASTRAY`], on average over all pairs of sets.
fn threshold(pairs: &[Vec<f64>]) -> f64 {
    let (mut low, mut high) = (-50.0, 50.0);
    for _ in 0..60 {
        let middle = f64::midpoint(low, high);
        let above = |all: &Vec<f64>| {
            all.iter().filter(|most| **most >= middle).count() as f64 / all.len().max(1) as f64
        };
        let mean = pairs.iter().map(above).sum::<f64>() / pairs.len().max(1) as f64;
        if mean > ASTRAY { low = middle } else { high = middle }
    }
    high
}

/// A logistic regression, right and wrong counted as equally many, by Newton's steps.
fn regression(right: &[[f64; 4]], wrong: &[[f64; 4]]) -> [f64; 4] {
    let share = |all: &[[f64; 4]]| 0.5 / all.len().max(1) as f64;
    let rows = right.iter().map(|row| (row, 1.0, share(right)));
    let rows: Vec<_> = rows.chain(wrong.iter().map(|row| (row, 0.0, share(wrong)))).collect();
    let mut weights = [0.0; 4];
    for _ in 0..50 {
        let (mut slope, mut curve) = ([0.0; 4], [[0.0; 4]; 4]);
        for (row, target, share) in &rows {
            let sum: f64 = row.iter().zip(weights).map(|(a, b)| a * b).sum();
            let likely = 1.0 / (1.0 + (-sum).exp());
            for (at, value) in row.iter().enumerate() {
                slope[at] += share * (likely - target) * value;
                for (other, next) in row.iter().enumerate() {
                    curve[at][other] += share * likely * (1.0 - likely) * value * next;
                }
            }
        }
        for at in 0..4 {
            let held = if at == 0 { 0.0 } else { HELD };
            slope[at] += held * weights[at];
            // A feature that is the same everywhere has no curve.
            curve[at][at] += held + 1e-9;
        }
        for (weight, step) in weights.iter_mut().zip(solved(curve, slope)) {
            *weight -= step;
        }
    }
    weights
}

/// Gauss's elimination.
fn solved(mut matrix: [[f64; 4]; 4], mut right: [f64; 4]) -> [f64; 4] {
    for at in 0..4 {
        let pivot = matrix[at];
        for row in at + 1..4 {
            let times = matrix[row][at] / pivot[at];
            for (value, above) in matrix[row].iter_mut().zip(pivot) {
                *value -= times * above;
            }
            right[row] -= times * right[at];
        }
    }
    for at in (0..4).rev() {
        let known: f64 = (at + 1..4).map(|other| matrix[at][other] * right[other]).sum();
        right[at] = (right[at] - known) / matrix[at][at];
    }
    right
}
