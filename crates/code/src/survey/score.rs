//! Scores a file: BM25, and the words of its path.

use crate::{Term, survey::count::Tally, words};

/// How soon more of the same term stops to matter, and how much long files are held back.
const SATURATION: f64 = 1.2;
const LENGTH: f64 = 0.6;
/// Mentions that a definition is worth, and definitions that count.
const DEFINITION: f64 = 3.0;
const DEFINITIONS: u32 = 5;

/// What must be known of all files to weigh one.
pub(super) struct Scale {
    files: usize,
    bytes: u64,
    /// Files that have each term.
    with: Vec<usize>,
}

impl Scale {
    pub(super) fn new(terms: usize) -> Self {
        Self { files: 0, bytes: 0, with: vec![0; terms] }
    }

    pub(super) fn saw(&mut self, bytes: usize) {
        self.files += 1;
        self.bytes += bytes as u64;
    }

    pub(super) fn found(&mut self, tally: &Tally) {
        for (with, &count) in self.with.iter_mut().zip(&tally.counts) {
            *with += usize::from(count > 0);
        }
    }

    pub(super) fn join(&mut self, other: &Self) {
        self.files += other.files;
        self.bytes += other.bytes;
        self.with.iter_mut().zip(&other.with).for_each(|(with, more)| *with += more);
    }

    pub(super) fn score(&self, terms: &[Term], tally: &Tally, bytes: usize, path: &str) -> f64 {
        let mean = (self.bytes as f64 / self.files.max(1) as f64).max(1.0);
        let length = 1.0 - LENGTH + LENGTH * bytes as f64 / mean;
        let place = Occurrence::new(path);
        let (mut score, mut covered, mut whole) = (0.0, 0.0, 0.0);
        for (at, term) in terms.iter().enumerate() {
            let weight = term.weight * self.rarity(at);
            whole += weight;
            let defined = f64::from(tally.defined[at].min(DEFINITIONS)) * DEFINITION;
            let often = f64::from(tally.counts[at]) + defined;
            if often > 0.0 {
                score += weight * often * (SATURATION + 1.0) / (often + SATURATION * length);
            }
            let said = place.says(&term.text);
            score += weight * said;
            if often > 0.0 || said > 0.0 {
                covered += weight;
            }
        }
        // Who has all of the terms is worth more than who has one of them very often.
        let coverage = if whole > 0.0 { covered / whole } else { 0.0 };
        score * (0.6 + 0.4 * coverage)
    }

    fn rarity(&self, term: usize) -> f64 {
        let with = self.with[term] as f64;
        ((self.files as f64 - with + 0.5) / (with + 0.5)).ln_1p()
    }
}

/// The words of a path.
struct Occurrence {
    stem: String,
    stem_words: Vec<String>,
    parent: Vec<String>,
    above: Vec<String>,
}

impl Occurrence {
    fn new(path: &str) -> Self {
        let (dirs, name) = path.rsplit_once('/').unwrap_or(("", path));
        let (above, parent) = dirs.rsplit_once('/').unwrap_or(("", dirs));
        let stem = name.rsplit_once('.').map_or(name, |(stem, _)| stem);
        Self {
            stem: stem.to_lowercase(),
            stem_words: words::parts(stem),
            parent: words::parts(parent),
            above: words::parts(above),
        }
    }

    /// `auth` is in `auth.rs`, in `auth_token.rs`, in `authentication.rs`; each says less.
    fn says(&self, term: &str) -> f64 {
        let term = term.to_lowercase();
        let word = |words: &[String]| words.contains(&term);
        let begins =
            |words: &[String]| term.len() >= 4 && words.iter().any(|w| w.starts_with(&term));
        if self.stem == term {
            2.5
        } else if word(&self.stem_words) {
            1.8
        } else if begins(&self.stem_words) {
            1.4
        } else if word(&self.parent) {
            1.2
        } else if begins(&self.parent) {
            0.9
        } else if word(&self.above) {
            0.5
        } else {
            0.0
        }
    }
}
