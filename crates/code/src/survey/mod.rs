//! Finds the files that a question is about.
//!
//! One pass over the repository for all terms at once. A file's score is BM25 over the terms, where a
//! definition counts for several mentions, plus what its path says, times what files of its
//! [`Class`] are worth. Only numbers are kept of each file; the lines of the best ones are read again
//! at the end, so that the memory needed does not grow with the repository.

mod count;
mod score;

use std::collections::BTreeSet;

use aho_corasick::{AhoCorasick, AhoCorasickKind, MatchKind};

use crate::{
    Class, Error, Found, Repository,
    parallel::{self, Reader},
    search::generated,
    survey::{count::Tally, score::Scale},
    words,
};

/// A word to look for, in whatever case (of ASCII), also inside of other words.
#[derive(Clone, Debug, PartialEq)]
pub struct Term {
    pub text: String,
    /// How much it says about the question; 1 is usual.
    pub weight: f64,
}

impl Term {
    #[must_use]
    pub fn new(text: impl Into<String>, weight: f64) -> Self {
        Self { text: text.into(), weight }
    }
}

/// A line of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    /// From 1.
    pub line: usize,
    pub text: String,
}

/// How much a file has to do with the terms.
#[derive(Clone, Debug, PartialEq)]
pub struct FileScore {
    pub path: String,
    pub class: Class,
    pub score: f64,
    /// Occurrences of each term, in the order in which they were given.
    pub counts: Vec<usize>,
    /// The lines that say most, in the order of the file.
    pub lines: Vec<Line>,
}

const MOST_TERMS: usize = 128;
const LONGEST_TERM: usize = 200;
/// Characters of a line that are shown.
const WIDTH: usize = 240;

impl Repository {
    /// Reads the repository once and says which files the terms are about, best first.
    ///
    /// # Errors
    /// [`Error::Pattern`] for terms that cannot be looked for: none, empty, too long, too many.
    pub fn survey(&self, terms: &[Term], limit: usize) -> Result<Found<FileScore>, Error> {
        let automaton = compile(terms)?;
        let listing = self.listing()?;
        let limit = limit.min(self.limits.results);
        let numbered: Vec<usize> = (0..listing.files.len()).collect();
        let start = || (Reader::default(), Scale::new(terms.len()), Vec::new());
        let parts =
            parallel::over(&numbered, &self.cancel, start, |(reader, scale, all), &file| {
                let entry = &listing.files[file];
                let Some(bytes) = reader.load(self, entry) else { return };
                scale.saw(bytes.len());
                if let Some(tally) = count::count(bytes, &automaton, terms) {
                    scale.found(&tally);
                    let factor = entry.class.factor() * generated(bytes, entry.class);
                    all.push(Seen { file, bytes: bytes.len(), factor, tally });
                }
            });
        self.cancel.check()?;
        let truncated = listing.truncated || self.cancel.is_late();
        let mut found = Found { skipped: listing.skipped, truncated, ..Found::default() };
        let (mut scale, mut seen) = (Scale::new(terms.len()), Vec::new());
        for (reader, part, all) in parts {
            found.files_read += reader.read;
            found.skipped += reader.skipped;
            scale.join(&part);
            seen.extend(all);
        }
        let mut ranked: Vec<(f64, Seen)> = seen
            .into_iter()
            .map(|seen| {
                let path = &listing.files[seen.file].path;
                let score = scale.score(terms, &seen.tally, seen.bytes, path) * seen.factor;
                (score, seen)
            })
            .collect();
        // The list is by path, so that equals come in the same order each time.
        ranked.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.file.cmp(&b.1.file)));
        found.total = ranked.len();
        found.truncated |= ranked.len() > limit;
        ranked.truncate(limit);
        let mut reader = Reader::default();
        for (score, seen) in ranked {
            let entry = &listing.files[seen.file];
            let lines = reader.load(self, entry).map(|bytes| seen.tally.lines(bytes));
            found.items.push(FileScore {
                path: entry.path.to_string(),
                class: entry.class,
                score,
                counts: seen.tally.counts.iter().map(|&count| count as usize).collect(),
                lines: lines.unwrap_or_default(),
            });
        }
        Ok(found)
    }
}

/// What is kept of a file until all are seen.
struct Seen {
    file: usize,
    bytes: usize,
    factor: f64,
    tally: Tally,
}

fn compile(terms: &[Term]) -> Result<AhoCorasick, Error> {
    let fault = |text: &str, reason: &str| Error::Pattern {
        pattern: text.chars().take(LONGEST_TERM).collect(),
        reason: reason.to_owned(),
    };
    if terms.is_empty() {
        return Err(fault("", "there are no terms"));
    }
    if terms.len() > MOST_TERMS {
        return Err(fault(&terms[MOST_TERMS].text, "there are more than 128 terms"));
    }
    let mut known = BTreeSet::new();
    for term in terms {
        if term.text.trim().is_empty() {
            return Err(fault(&term.text, "a term is empty"));
        }
        if term.text.contains('\n') {
            return Err(fault(&term.text, "a term has several lines"));
        }
        if term.text.len() > LONGEST_TERM {
            return Err(fault(&term.text, "a term is longer than 200 bytes"));
        }
        if !term.weight.is_finite() || term.weight < 0.0 {
            return Err(fault(&term.text, "its weight is not a number of at least 0"));
        }
        if !known.insert(term.text.to_ascii_lowercase()) {
            return Err(fault(&term.text, "the term is given twice"));
        }
    }
    AhoCorasick::builder()
        .ascii_case_insensitive(true)
        .match_kind(MatchKind::Standard)
        .kind(Some(AhoCorasickKind::DFA))
        .build(terms.iter().map(|term| &term.text))
        .map_err(|error| fault("", &error.to_string()))
}

impl Tally {
    fn lines(&self, bytes: &[u8]) -> Vec<Line> {
        let mut lines: Vec<Line> = self
            .best
            .iter()
            .filter_map(|best| {
                let rest = bytes.get(best.start as usize..)?;
                let end = memchr::memchr(b'\n', rest).unwrap_or(rest.len());
                let text = words::excerpt(&rest[..end], best.at as usize, WIDTH);
                Some(Line { line: best.line as usize, text })
            })
            .collect();
        lines.sort_by_key(|line| line.line);
        lines
    }
}
