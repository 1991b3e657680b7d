//! What a file or a folder defines.

use crate::{
    Error, Found, Kind, Language, Repository, Symbol,
    parallel::{self, Reader},
    syntax::Defined,
    walk::{Below, Entry},
};

/// What one thread found.
#[derive(Default)]
struct Part {
    reader: Reader,
    /// With the place of the file in its batch.
    symbols: Vec<(usize, Symbol)>,
    total: usize,
    failed: usize,
}

impl Repository {
    /// What a file or everything below a folder defines (the empty path is the root), of these kinds or,
    /// if none is given, of all but fields and variants. Source comes before tests, and each in the order
    /// of path and line. `total` counts all of them in the files that were parsed; `note` says if these
    /// were not all.
    ///
    /// # Errors
    /// [`Error::Outside`], [`Error::Missing`]; [`Error::NoGrammar`] for a single file without one.
    pub fn definitions(&self, path: &str, kinds: &[Kind]) -> Result<Found<Symbol>, Error> {
        self.definitions_that(path, kinds, &|_, _| true)
    }

    /// The same, of those whose name and container fit: what does not is not counted either.
    ///
    /// # Errors
    /// As above.
    pub fn definitions_that(
        &self,
        path: &str,
        kinds: &[Kind],
        fits: &(dyn Fn(&str, Option<&str>) -> bool + Sync),
    ) -> Result<Found<Symbol>, Error> {
        self.cancel.check()?;
        let listing = self.listing()?;
        let below = listing.below(&self.root, path)?;
        let mut files: Vec<&Entry> = below
            .files()
            .iter()
            .filter(|entry| entry.language.is_some_and(Language::has_grammar))
            .collect();
        if files.is_empty() && matches!(below, Below::File(_)) {
            return Err(Error::NoGrammar { path: path.to_owned() });
        }
        // They are by path already.
        files.sort_by_key(|entry| entry.class);
        let all = files.len();
        files.truncate(self.limits.parses);
        let wanted = |defined: &Defined| {
            let kind = match kinds {
                [] => !matches!(defined.kind, Kind::Field | Kind::Variant),
                kinds => kinds.contains(&defined.kind),
            };
            kind && fits(&defined.name, defined.container.as_deref())
        };
        let limit = self.limits.results;
        let mut found = Found {
            truncated: listing.truncated || listing.late,
            skipped: listing.skipped,
            ..Found::default()
        };
        // Tests beside the code come last, however early their file is.
        let mut tests = Vec::new();
        let mut done = 0;
        for batch in files.chunks(parallel::BATCH) {
            if self.cancel.is_late() {
                break;
            }
            let numbered: Vec<(usize, &Entry)> = batch.iter().copied().enumerate().collect();
            // When there are enough the rest only count.
            let room = if found.items.len() < limit { limit } else { 0 };
            let parts = parallel::over(&numbered, &self.cancel, Part::default, |part, &file| {
                self.define(file, wanted, room, part);
            });
            self.cancel.check()?;
            let mut symbols = Vec::new();
            for part in parts {
                done += part.reader.read + part.reader.skipped;
                found.files_read += part.reader.read;
                found.skipped += part.reader.skipped + part.failed;
                found.total += part.total;
                symbols.extend(part.symbols);
            }
            symbols.sort_by_key(|(file, _)| *file);
            for (_, symbol) in symbols {
                let pile = if symbol.is_in_tests() { &mut tests } else { &mut found.items };
                if pile.len() < limit {
                    pile.push(symbol);
                }
            }
        }
        found.items.extend(tests);
        if done < all {
            found.truncated = true;
            found.note = Some(format!("{done} of {all} files were looked at"));
        }
        found.cut(limit);
        Ok(found)
    }

    fn define(
        &self,
        (place, entry): (usize, &Entry),
        wanted: impl Fn(&Defined) -> bool,
        room: usize,
        part: &mut Part,
    ) {
        let Some(language) = entry.language else { return };
        let Some(bytes) = part.reader.load(self, entry) else { return };
        match self.count_symbols(&entry.path, language, bytes, wanted, room) {
            Some((symbols, total)) => {
                part.symbols.extend(symbols.into_iter().map(|symbol| (place, symbol)));
                part.total += total;
            }
            None => part.failed += 1,
        }
    }
}
