//! Lists the definitions of a file or a folder.

use std::{
    cell::RefCell,
    collections::{HashMap, hash_map::Entry},
};

use crate::{
    Error, Found, Kind, Language, Repository, Symbol,
    parallel::{self, Reader},
    syntax::Defined,
    walk::{Below, Entry as File},
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
        self.definitions_that(path, kinds, None, &|_, _| true)
    }

    /// The definitions of a file or folder that are in one language and that `fits` accepts by name
    /// and container; others are not counted either. Where kinds are given, each is a definition of
    /// its own: what C only declares is none, and the overloads of a TypeScript function are one.
    ///
    /// # Errors
    /// [`Error::Outside`], [`Error::Missing`]; [`Error::NoGrammar`] for a single file without one.
    pub fn definitions_that(
        &self,
        path: &str,
        kinds: &[Kind],
        language: Option<Language>,
        fits: &(dyn Fn(&str, Option<&str>) -> bool + Sync),
    ) -> Result<Found<Symbol>, Error> {
        self.cancel.check()?;
        let listing = self.listing()?;
        let below = listing.below(&self.root, path)?;
        let mut files: Vec<&File> = below
            .files()
            .iter()
            .filter(|entry| entry.language.is_some_and(Language::has_grammar))
            .filter(|entry| language.is_none_or(|language| is_in(entry, language)))
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
            let numbered: Vec<(usize, &File)> = batch.iter().copied().enumerate().collect();
            // When there are enough the rest only count.
            let room = if found.items.len() < limit { limit } else { 0 };
            let parts = parallel::over(&numbered, &self.cancel, Part::default, |part, &file| {
                self.define(file, wanted, !kinds.is_empty(), room, part);
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
        let others = below.files().iter();
        let others = others.filter(|entry| language.is_none() && lacks_grammar(entry)).count();
        if done < all {
            found.truncated = true;
            found.note = Some(format!("{done} of {all} files were looked at"));
        } else if found.skipped > 0 {
            found.note = Some(format!("{} files could not be read", found.skipped));
        } else if others > 0 {
            found.note = Some(format!("{others} files are in languages that are not supported"));
        }
        found.cut(limit);
        Ok(found)
    }

    fn define(
        &self,
        (place, entry): (usize, &File),
        wanted: impl Fn(&Defined) -> bool,
        once: bool,
        room: usize,
        part: &mut Part,
    ) {
        let Some(language) = entry.language else { return };
        let Some(bytes) = part.reader.load(self, entry) else { return };
        let seen = Seen::default();
        let wanted = |defined: &Defined| {
            wanted(defined) && !(once && is_said_elsewhere(language, defined, &seen))
        };
        match self.count_symbols(&entry.path, language, bytes, wanted, room) {
            Some((symbols, total)) => {
                part.symbols.extend(symbols.into_iter().map(|symbol| (place, symbol)));
                part.total += total;
            }
            None => part.failed += 1,
        }
    }
}

fn is_in(entry: &File, language: Language) -> bool {
    entry.language == Some(language)
        || language == Language::TypeScript && entry.language == Some(Language::Tsx)
}

fn lacks_grammar(entry: &File) -> bool {
    entry.language.is_some_and(Language::lacks_grammar)
}

/// Functions by container and name, and whether one with a body was seen.
type Seen = RefCell<HashMap<(Option<String>, String), bool>>;

/// Whether a function is only declared here, or was counted before by a signature of its own.
fn is_said_elsewhere(language: Language, defined: &Defined, seen: &Seen) -> bool {
    if !defined.kind.is_function() || defined.kind == Kind::Macro {
        return false;
    }
    if matches!(language, Language::C | Language::Cpp) {
        return defined.body.is_none();
    }
    if !matches!(language, Language::TypeScript | Language::Tsx) {
        return false;
    }
    let key = (defined.container.clone(), defined.name.clone());
    let has_body = defined.body.is_some();
    match seen.borrow_mut().entry(key) {
        Entry::Vacant(place) => {
            place.insert(has_body);
            false
        }
        // A getter and a setter of one name are two, and both have bodies.
        Entry::Occupied(mut known) => !(has_body && known.insert(has_body)),
    }
}
