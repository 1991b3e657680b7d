//! The quality score of a job, with its parts.

use super::Critique;

/// What a score is made of; together at most 100.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize)]
pub struct Parts {
    /// Of 30: targets that were written.
    pub targets: u32,
    /// Of 30: required sections that are there.
    pub sections: u32,
    /// Of 25: references that were found.
    pub references: u32,
    /// Of 15: the mean score of the critiques.
    pub critiques: u32,
}

impl Parts {
    /// `qualityScore`.
    #[must_use]
    pub fn total(self) -> u32 {
        self.targets + self.sections + self.references + self.critiques
    }
}

/// The parts for these documents; `None` without documents. `reviews` are scores of another reviewer, from 0 to 100;
/// without them the critiques' own count.
#[must_use]
pub fn score(targets: usize, critiques: &[&Critique], reviews: &[u32]) -> Option<Parts> {
    if critiques.is_empty() || targets == 0 {
        return None;
    }
    let sum = |value: fn(&Critique) -> usize| {
        critiques.iter().map(|critique| value(critique)).sum::<usize>()
    };
    let own: Vec<u32> = critiques.iter().map(|critique| critique.score).collect();
    let scores = if reviews.is_empty() { &own } else { reviews };
    let total: u32 = scores.iter().map(|score| (*score).min(100)).sum();
    Some(Parts {
        targets: share(30, critiques.len().min(targets), targets),
        sections: share(30, sum(|critique| critique.present), sum(|critique| critique.required)),
        references: share(25, sum(|critique| critique.verified), sum(|critique| critique.checked)),
        critiques: share(15, total as usize, scores.len() * 100),
    })
}

/// Rounded down, so that only what is complete has all points.
fn share(points: u32, part: usize, all: usize) -> u32 {
    if all == 0 {
        return points;
    }
    let points = points as usize * part / all;
    u32::try_from(points).unwrap_or(0)
}
