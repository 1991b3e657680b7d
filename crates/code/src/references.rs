//! Where a name is used.

use crate::{
    Error, Found, Repository, parallel,
    parallel::Reader,
    symbols::{Name, mentions},
    syntax::{self, Want},
    walk::Entry,
    words,
};

/// How a name is used.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Usage {
    Call,
    /// As a type: of a value, a parameter, a parent.
    Type,
    Import,
    Other,
}

impl Usage {
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Call => "call",
            Self::Type => "type",
            Self::Import => "import",
            Self::Other => "other",
        }
    }
}

/// One use of a name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reference {
    pub path: String,
    /// From 1.
    pub line: usize,
    pub text: String,
    pub usage: Usage,
    /// The definition that it is in, with its container: `Session::login`.
    pub within: Option<String>,
    /// A grammar told it from comments and strings; otherwise it is a word in a text.
    pub parsed: bool,
}

/// Characters of a line that are shown.
const WIDTH: usize = 240;
/// Uses after which no more files are parsed.
const ENOUGH: usize = 400;
/// Uses in one file that are kept.
const PER_FILE: usize = 200;

impl Repository {
    /// Uses of a name that are not its definition: calls first, source before tests. Of `Session::login`
    /// only the last word is looked for, and `note` says so: without types nobody can tell more.
    ///
    /// # Errors
    /// [`Error::Pattern`] if it is no name.
    pub fn find_references(&self, name: &str, limit: usize) -> Result<Found<Reference>, Error> {
        let name = Name::parse(name)?;
        let listing = self.listing()?;
        let (mut files, effort) = mentions(self, &listing, &name.last, false, false)?;
        // Where it is likely defined is as good a place for a use as any other.
        files.sort_by(|a, b| (a.entry.class, &a.entry.path).cmp(&(b.entry.class, &b.entry.path)));
        let mut found = Found {
            truncated: listing.truncated || files.len() > self.limits.parses,
            files_read: effort.read,
            skipped: effort.skipped + listing.skipped,
            ..Found::default()
        };
        files.truncate(self.limits.parses);
        if !name.of.is_empty() {
            let of = name.of.join(".");
            found.note =
                Some(format!("uses of {:?}, not only those that belong to {of:?}", name.last));
        }
        let limit = limit.min(self.limits.results);
        let mut all = Vec::new();
        // Source comes first, so that of a name that is everywhere the rest need not be parsed.
        for batch in files.chunks(parallel::BATCH) {
            if all.len() > ENOUGH.max(4 * limit) || self.cancel.is_late() {
                found.truncated = true;
                break;
            }
            let start = || (Reader::default(), Vec::new(), 0);
            let parts = parallel::over(batch, &self.cancel, start, |(reader, all, total), file| {
                let Some(bytes) = reader.load(self, file.entry) else { return };
                let mut uses = self.uses(bytes, file.entry, &name.last);
                *total += uses.len();
                uses.truncate(PER_FILE);
                all.extend(uses.into_iter().map(|reference| (file.entry.class, reference)));
            });
            self.cancel.check()?;
            found.truncated |= self.cancel.is_late();
            for (_, part, total) in parts {
                found.total += total;
                all.extend(part);
            }
        }
        all.sort_by(|(left, a), (right, b)| {
            let rank = |class, at: &Reference| (class, !at.parsed, at.usage);
            rank(*left, a)
                .cmp(&rank(*right, b))
                .then_with(|| a.path.cmp(&b.path))
                .then_with(|| a.line.cmp(&b.line))
        });
        found.items = all.into_iter().map(|(_, reference)| reference).collect();
        found.cut(limit);
        Ok(found)
    }

    fn uses(&self, bytes: &[u8], entry: &Entry, name: &str) -> Vec<Reference> {
        let lines = syntax::rows(bytes);
        let parsed = entry.language.and_then(|language| self.parse(language, bytes));
        let reference = |at: usize, row: usize, usage, within, parsed| Reference {
            path: entry.path.to_string(),
            line: row + 1,
            text: words::excerpt(
                syntax::line(bytes, &lines, row),
                at - lines.get(row).copied().unwrap_or(at).min(at),
                WIDTH,
            ),
            usage,
            within,
            parsed,
        };
        let Some(parsed) = parsed else {
            let whole = |at: &usize| words::is_whole(bytes, *at, at + name.len());
            return memchr::memmem::find_iter(bytes, name)
                .filter(whole)
                .map(|at| {
                    let row = lines.partition_point(|&start| start <= at).saturating_sub(1);
                    reference(at, row, Usage::Other, None, false)
                })
                .collect();
        };
        let scan = syntax::scan(&parsed, bytes, Want { name: Some(name), calls: None });
        let within = |index: usize| {
            let defined = scan.defined.get(index)?;
            Some(match &defined.container {
                Some(container) => {
                    format!("{container}{}{}", parsed.grammar.separator, defined.name)
                }
                None => defined.name.clone(),
            })
        };
        scan.uses
            .iter()
            .map(|at| reference(at.at, at.row, at.usage, at.within.and_then(within), true))
            .collect()
    }
}
