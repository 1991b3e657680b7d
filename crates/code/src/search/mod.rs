//! Lines that match a pattern, best first.
//!
//! Patterns are matched line by line, each line once: the time is linear in the size of the repository
//! whatever the pattern, and a pattern that would match across lines finds nothing.

mod pattern;

use crate::{
    Cancel, Class, Error, Found, Repository,
    parallel::{self, Reader},
    search::pattern::Pattern,
    walk::Entry,
    words,
};

/// What to look for. Patterns are matched line by line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Query {
    pub pattern: String,
    /// The pattern is a regular expression, in the syntax of the `regex` crate. Of a line of more than
    /// 64 KiB only the first 64 are matched with it.
    pub regex: bool,
    pub case_sensitive: bool,
    pub whole_word: bool,
    /// Only files whose path matches: `src/**/*.rs`, or `*.rs` for any directory.
    pub glob: Option<String>,
    pub limit: usize,
}

impl Query {
    /// Plain text in whatever case.
    #[must_use]
    pub fn text(pattern: impl Into<String>) -> Self {
        Self {
            pattern: pattern.into(),
            regex: false,
            case_sensitive: false,
            whole_word: false,
            glob: None,
            limit: 50,
        }
    }

    /// A regular expression, in the case in which it is written.
    #[must_use]
    pub fn regex(pattern: impl Into<String>) -> Self {
        Self { regex: true, case_sensitive: true, ..Self::text(pattern) }
    }
}

/// One line that matches.
#[derive(Clone, Debug, PartialEq)]
pub struct Hit {
    pub path: String,
    /// From 1.
    pub line: usize,
    /// The line; of a long one 400 characters around the match.
    pub text: String,
    pub score: f64,
}

/// Characters of a line that are shown.
const WIDTH: usize = 400;
/// Hits of one file that are kept; the others count.
const PER_FILE: usize = 40;
/// Bytes of a file that are looked at without asking whether to go on.
const PAGE: usize = 48 << 10;

impl Repository {
    /// Lines that match: definitions before mentions, source before tests and documents.
    ///
    /// # Errors
    /// [`Error::Pattern`] for a pattern or glob that cannot be used.
    pub fn search(&self, query: &Query) -> Result<Found<Hit>, Error> {
        let pattern = Pattern::new(query)?;
        let listing = self.listing()?;
        let limit = query.limit.min(self.limits.results);
        let entries: Vec<&Entry> =
            listing.files.iter().filter(|entry| pattern.wants(&entry.path)).collect();
        let start = || (Reader::default(), Best::new(limit));
        let parts = parallel::over(&entries, &self.cancel, start, |(reader, best), entry| {
            if let Some(bytes) = reader.load(self, entry) {
                look(bytes, entry, &pattern, &self.cancel, best);
            }
        });
        self.cancel.check()?;
        let truncated = listing.truncated || self.cancel.is_late();
        let mut found = Found { skipped: listing.skipped, truncated, ..Found::default() };
        for (reader, best) in parts {
            found.files_read += reader.read;
            found.skipped += reader.skipped;
            found.total += best.total;
            found.items.extend(best.hits);
        }
        found.items.sort_by(better);
        found.cut(limit);
        Ok(found)
    }
}

/// The best hits so far of one thread, never many more than were asked for.
struct Best {
    hits: Vec<Hit>,
    limit: usize,
    total: usize,
}

impl Best {
    fn new(limit: usize) -> Self {
        Self { hits: Vec::new(), limit, total: 0 }
    }

    fn add(&mut self, hits: impl IntoIterator<Item = Hit>) {
        self.hits.extend(hits);
        if self.hits.len() > 4 * self.limit + 4 * PER_FILE {
            self.hits.sort_by(better);
            self.hits.truncate(self.limit);
        }
    }
}

fn better(a: &Hit, b: &Hit) -> std::cmp::Ordering {
    b.score.total_cmp(&a.score).then_with(|| a.path.cmp(&b.path)).then_with(|| a.line.cmp(&b.line))
}

fn look(bytes: &[u8], entry: &Entry, pattern: &Pattern, cancel: &Cancel, best: &mut Best) {
    let (mut hits, mut count) = (Vec::new(), 0_usize);
    let path = if pattern.is_in_path(&entry.path) { 0.5 } else { 0.0 };
    let (mut number, mut at, mut looked) = (0, 0, 0);
    while at < bytes.len() {
        if at >= looked {
            if cancel.is_over() {
                break;
            }
            looked = page_end(bytes, at);
            if !pattern.may_match(&bytes[at..looked]) {
                number += memchr::memchr_iter(b'\n', &bytes[at..looked]).count();
                at = looked;
                continue;
            }
        }
        let end = memchr::memchr(b'\n', &bytes[at..]).map_or(bytes.len(), |length| at + length);
        let line = &bytes[at..end];
        number += 1;
        at = end + 1;
        let Some(found) = pattern.find(line) else { continue };
        count += 1;
        let defines = words::defines(line, found.start, found.end);
        if hits.len() >= PER_FILE {
            // A definition is worth more than the last of the mentions.
            let Some(last) = hits.iter_mut().rev().find(|hit: &&mut Hit| hit.score < 2.0) else {
                continue;
            };
            if defines {
                *last = hit(entry, number, line, found.start, 2.0);
            }
            continue;
        }
        let whole = words::is_whole(line, found.start, found.end);
        let score = if defines { 2.0 } else { 1.0 } + if whole { 0.4 } else { 0.0 };
        hits.push(hit(entry, number, line, found.start, score));
    }
    best.total += count;
    let dense = (count as f64).ln_1p() * 0.1;
    let factor = entry.class.factor() * generated(bytes, entry.class);
    hits.iter_mut().for_each(|hit| hit.score = (hit.score + path + dense) * factor);
    best.add(hits);
}

/// Where the lines end that are looked at together.
fn page_end(bytes: &[u8], from: usize) -> usize {
    let far = bytes.len().min(from + PAGE);
    memchr::memchr(b'\n', &bytes[far..]).map_or(bytes.len(), |length| far + length + 1)
}

fn hit(entry: &Entry, line: usize, bytes: &[u8], at: usize, score: f64) -> Hit {
    Hit { path: entry.path.to_string(), line, text: words::excerpt(bytes, at, WIDTH), score }
}

/// Generated code often says so at its top, whatever it is called.
pub(crate) fn generated(bytes: &[u8], class: Class) -> f64 {
    let head = &bytes[..bytes.len().min(300)];
    let says = |words: &[u8]| memchr::memmem::find(head, words).is_some();
    if class == Class::Source && (says(b"@generated") || says(b"DO NOT EDIT")) {
        Class::Generated.factor()
    } else {
        1.0
    }
}
