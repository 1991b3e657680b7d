//! Looking for a name: the word first, then the grammar.

use memchr::memmem::Finder;

use crate::{
    Error, Found, Kind, Language, Repository, Symbol, parallel,
    parallel::Reader,
    symbols::name::Name,
    syntax::Defined,
    walk::{Entry, Listing},
    words,
};

/// Definitions after which no more files are parsed: whoever has so many needs another name.
const ENOUGH: usize = 200;

/// A file that has the word.
pub(crate) struct Mention<'a> {
    pub(crate) entry: &'a Entry,
    /// One of them looks like a definition.
    pub(crate) likely: bool,
}

/// How far a search for the word went.
#[derive(Default)]
pub(crate) struct Effort {
    pub(crate) read: usize,
    pub(crate) skipped: usize,
}

impl Repository {
    /// Definitions of a name: `login`, `Session::login`, `Session.login`, `auth.login`. If there are none,
    /// those that differ in case only, and `note` says so. A kind is meant broadly: who asks for a
    /// function may get a method, after the functions.
    ///
    /// # Errors
    /// [`Error::Pattern`] if it is no name.
    pub fn find_symbol(&self, name: &str, kind: Option<Kind>) -> Result<Found<Symbol>, Error> {
        let wanted = Name::parse(name)?;
        let listing = self.listing()?;
        let exact = self.find(&listing, &wanted, kind, false)?;
        if !exact.items.is_empty() || exact.truncated {
            return Ok(exact);
        }
        let mut other = self.find(&listing, &wanted, kind, true)?;
        if !other.items.is_empty() {
            other.note = Some(format!("nothing is called {name:?}; these differ in case"));
        }
        Ok(other)
    }

    fn find(
        &self,
        listing: &Listing,
        name: &Name,
        kind: Option<Kind>,
        any_case: bool,
    ) -> Result<Found<Symbol>, Error> {
        let same: fn(&str, &str) -> bool =
            if any_case { |a, b| a.eq_ignore_ascii_case(b) } else { |a, b| a == b };
        let (mut files, effort) = mentions(self, listing, &name.last, any_case, true)?;
        let mut found = Found {
            truncated: listing.truncated || self.cancel.is_late(),
            files_read: effort.read,
            skipped: effort.skipped + listing.skipped,
            ..Found::default()
        };
        if files.len() > self.limits.parses {
            found.truncated = true;
            files.truncate(self.limits.parses);
        }
        let mut all = Vec::new();
        // The likely ones come first, so that of a name such as `new` the rest need not be parsed.
        for batch in files.chunks(parallel::BATCH) {
            if all.len() >= ENOUGH || self.cancel.is_late() {
                found.truncated = true;
                break;
            }
            let start = || (Reader::default(), Vec::new(), 0);
            let parts =
                parallel::over(batch, &self.cancel, start, |(reader, all, failed), file| {
                    let Some(language) = file.entry.language else { return };
                    let Some(bytes) = reader.load(self, file.entry) else { return };
                    let wanted = |defined: &Defined| {
                        same(&defined.name, &name.last)
                            && kind.is_none_or(|kind| defined.kind.answers(kind))
                    };
                    match self.symbols_of(&file.entry.path, language, bytes, wanted) {
                        Some(symbols) => all.extend(
                            symbols
                                .into_iter()
                                .filter(|symbol| name.fits(symbol, same))
                                .map(|symbol| (worth(&symbol, file.entry, kind), symbol)),
                        ),
                        None => *failed += 1,
                    }
                });
            self.cancel.check()?;
            found.truncated |= self.cancel.is_late();
            for (_, part, failed) in parts {
                all.extend(part);
                found.skipped += failed;
            }
        }
        all.sort_by(|(a, left), (b, right)| {
            b.total_cmp(a)
                .then_with(|| left.path.cmp(&right.path))
                .then_with(|| left.line.cmp(&right.line))
        });
        found.items = all.into_iter().map(|(_, symbol)| symbol).collect();
        found.cut(self.limits.results);
        Ok(found)
    }
}

/// Types before functions before values, what has a body before what only declares, source before tests.
fn worth(symbol: &Symbol, entry: &Entry, kind: Option<Kind>) -> f64 {
    let of_kind = match symbol.kind {
        Kind::Class | Kind::Struct | Kind::Enum | Kind::Trait | Kind::Interface => 1.0,
        Kind::Function | Kind::Method | Kind::Macro => 0.9,
        Kind::Type | Kind::Constant | Kind::Module => 0.8,
        Kind::Variable => 0.6,
        Kind::Field | Kind::Variant => 0.5,
    };
    let asked = if kind == Some(symbol.kind) { 0.3 } else { 0.0 };
    let body = if symbol.end_line > symbol.line { 0.1 } else { 0.0 };
    let inner = symbol.container.as_deref().unwrap_or("");
    let test = inner.split([':', '.']).any(|part| part == "tests" || part == "test");
    (of_kind + asked + body) * entry.class.factor() * if test { 0.5 } else { 1.0 }
}

/// Files that have a name as a whole word, the likely ones first and source before tests. With
/// `defining`, only those where it may be a definition in a language with a grammar.
pub(crate) fn mentions<'a>(
    repository: &Repository,
    listing: &'a Listing,
    name: &str,
    any_case: bool,
    defining: bool,
) -> Result<(Vec<Mention<'a>>, Effort), Error> {
    let lower = name.to_ascii_lowercase();
    let finder = Finder::new(name);
    let any = aho_corasick::AhoCorasick::builder()
        .ascii_case_insensitive(true)
        .build([&lower])
        .map_err(|error| Error::Pattern { pattern: name.to_owned(), reason: error.to_string() })?;
    let start = || (Reader::default(), Vec::new());
    let entries: Vec<&Entry> = listing
        .files
        .iter()
        .filter(|entry| !defining || entry.language.is_some_and(Language::has_grammar))
        .collect();
    let parts = parallel::over(&entries, &repository.cancel, start, |(reader, all), entry| {
        let Some(bytes) = reader.load(repository, entry) else { return };
        let size = name.len();
        let seen = if any_case {
            look(bytes, any.find_iter(bytes).map(|found| found.start()), size, entry, defining)
        } else {
            look(bytes, finder.find_iter(bytes), size, entry, defining)
        };
        all.extend(seen.map(|likely| Mention { entry, likely }));
    });
    repository.cancel.check()?;
    let (mut all, mut effort) = (Vec::new(), Effort::default());
    for (reader, part) in parts {
        effort.read += reader.read;
        effort.skipped += reader.skipped;
        all.extend(part);
    }
    all.sort_by(|a, b| {
        let rank = |mention: &Mention<'_>| (!mention.likely, mention.entry.class);
        rank(a).cmp(&rank(b)).then_with(|| a.entry.path.cmp(&b.entry.path))
    });
    Ok((all, effort))
}

/// Whether the word is there, and if so whether it looks like a definition.
fn look(
    bytes: &[u8],
    places: impl Iterator<Item = usize>,
    size: usize,
    entry: &Entry,
    defining: bool,
) -> Option<bool> {
    // Methods are defined as `Session::login` in C++ and nowhere else.
    let qualified = matches!(entry.language, Some(Language::C | Language::Cpp));
    let mut seen = false;
    for start in places {
        if !words::is_whole(bytes, start, start + size) {
            continue;
        }
        let before = &bytes[..start];
        let mentioned = before.ends_with(b".")
            || before.ends_with(b"->")
            || (!qualified && before.ends_with(b"::"));
        // JavaScript defines by assignment: `exports.login = …`.
        let assigned = || {
            let after = bytes.get(start + size..).unwrap_or_default().trim_ascii_start();
            after.starts_with(b"=") && !after.starts_with(b"==")
        };
        if defining && mentioned && !assigned() {
            continue;
        }
        let line = memchr::memrchr(b'\n', before).map_or(0, |end| end + 1);
        let until = bytes.len().min(start + size + 200);
        if words::defines(&bytes[line..until], start - line, start + size - line) {
            return Some(true);
        }
        // `new Session` defines nothing; types come after names in Go, and anything in C.
        let rest = &bytes[start + size..until];
        let blank = rest.first().is_some_and(|byte| matches!(byte, b' ' | b'\t'));
        let followed =
            blank && rest.trim_ascii_start().first().copied().is_some_and(words::is_word);
        let types_follow = qualified || entry.language == Some(Language::Go);
        seen |= !(defining && followed && !types_follow);
    }
    seen.then_some(false)
}
