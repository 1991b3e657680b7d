//! Counts the terms in one file.

use aho_corasick::AhoCorasick;

use crate::{Term, words};

/// Lines that are remembered of a file.
const LINES: usize = 5;

/// Numbers are narrow because a common term makes one of these for every file.
pub(super) struct Tally {
    pub(super) counts: Box<[u32]>,
    /// Of these, how many look like definitions.
    pub(super) defined: Box<[u32]>,
    pub(super) best: Vec<Best>,
}

/// A line worth showing.
#[derive(Clone, Copy)]
pub(super) struct Best {
    pub(super) line: u32,
    /// Where the line begins in the file, and where in it the first term is.
    pub(super) start: u32,
    pub(super) at: u32,
    worth: f32,
}

/// The counts; `None` if the file has none of the terms.
pub(super) fn count(bytes: &[u8], automaton: &AhoCorasick, terms: &[Term]) -> Option<Tally> {
    let mut counter = Counter::new(bytes, terms);
    for found in automaton.find_overlapping_iter(bytes) {
        counter.see(found.pattern().as_usize(), found.start(), found.end());
    }
    counter.finish()
}

struct Counter<'a> {
    bytes: &'a [u8],
    terms: &'a [Term],
    tally: Option<Tally>,
    /// Lines up to here are counted.
    counted: usize,
    line: usize,
    current: Current,
}

/// The line that the last match was in.
#[derive(Default)]
struct Current {
    start: usize,
    end: usize,
    at: usize,
    worth: f64,
    /// One bit per term that was seen in it.
    seen: u128,
}

impl<'a> Counter<'a> {
    fn new(bytes: &'a [u8], terms: &'a [Term]) -> Self {
        Self { bytes, terms, tally: None, counted: 0, line: 1, current: Current::default() }
    }

    fn see(&mut self, term: usize, start: usize, end: usize) {
        if self.tally.is_none() || start >= self.current.end {
            self.turn(start);
        }
        let line = &self.bytes[self.current.start..self.current.end];
        let within = start.saturating_sub(self.current.start);
        let fresh = self.current.seen & (1 << term) == 0;
        let defines = fresh && words::defines(line, within, end - self.current.start.min(end));
        if fresh {
            self.current.seen |= 1 << term;
            let factor = if defines { 3.0 } else { 1.0 };
            self.current.worth += self.terms[term].weight * factor;
        }
        let size = self.terms.len();
        let tally = self.tally.get_or_insert_with(|| Tally {
            counts: vec![0; size].into(),
            defined: vec![0; size].into(),
            best: Vec::new(),
        });
        tally.counts[term] = tally.counts[term].saturating_add(1);
        tally.defined[term] += u32::from(defines);
    }

    /// Leaves the line it was in for the one that has `at`.
    fn turn(&mut self, at: usize) {
        self.keep();
        // A match may begin before the place that is counted to: terms overlap.
        let from = self.counted.min(at);
        self.line += memchr::memchr_iter(b'\n', &self.bytes[from..at]).count();
        self.counted = at;
        let start = memchr::memrchr(b'\n', &self.bytes[..at]).map_or(0, |end| end + 1);
        let end = memchr::memchr(b'\n', &self.bytes[at..]).map_or(self.bytes.len(), |to| at + to);
        self.current = Current { start, end: end.max(start), at: at - start, worth: 0.0, seen: 0 };
    }

    fn keep(&mut self) {
        let Some(tally) = self.tally.as_mut() else { return };
        let narrow = |number: usize| u32::try_from(number).unwrap_or(u32::MAX);
        let Current { start, at, worth, .. } = self.current;
        let (start, at) = (narrow(start), narrow(at));
        let best = Best { line: narrow(self.line), start, at, worth: worth as f32 };
        let least = tally.best.iter().enumerate().min_by(|a, b| {
            // Of equals the last goes: what comes first in a file tends to say more.
            a.1.worth.total_cmp(&b.1.worth).then(b.1.line.cmp(&a.1.line))
        });
        match least {
            Some((at, least)) if tally.best.len() >= LINES => {
                if best.worth > least.worth {
                    tally.best[at] = best;
                }
            }
            Some(_) | None => tally.best.push(best),
        }
    }

    fn finish(mut self) -> Option<Tally> {
        self.keep();
        self.tally
    }
}
