//! Finds and lists definitions.
//!
//! Finding a name reads all files for the word and parses those that may define it, the likely ones
//! first; how many is bounded by [`crate::Limits::parses`].

mod definitions;
mod find;
mod mentions;
mod name;

pub(crate) use self::{mentions::Effort, name::Name};
use crate::{
    Error, Found, Kind, Language, Repository,
    parallel::Reader,
    root,
    syntax::{self, Defined, Parsed, Want},
    words,
};

/// A definition.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Symbol {
    pub name: String,
    pub kind: Kind,
    /// The type, module or function around it: `Session`, `auth::Session`.
    pub container: Option<String>,
    pub path: String,
    /// The line of its name, from 1.
    pub line: usize,
    pub end_line: usize,
    /// The definition up to its body, on one line.
    pub signature: String,
    /// The first sentence of its documentation.
    pub doc: Option<String>,
}

impl Symbol {
    /// Whether it is in a module of tests beside the code.
    fn is_in_tests(&self) -> bool {
        let container = self.container.as_deref().unwrap_or("");
        container.split([':', '.']).any(|part| part == "tests" || part == "test")
    }
}

impl Repository {
    /// Definitions in these files that have one of the terms in their name as a word:
    /// `login` is in `LoginForm` and `try_login`, and not in `plogins`.
    ///
    /// # Errors
    /// Files that cannot be read or parsed count as skipped; only paths that lead out are errors.
    pub fn symbols_like(&self, terms: &[&str], files: &[&str]) -> Result<Found<Symbol>, Error> {
        let (mut found, mut reader) = (Found::default(), Reader::default());
        for path in files {
            self.cancel.check()?;
            let path = root::clean(path)?;
            if self.cancel.is_late() || found.files_read >= self.limits.parses {
                found.truncated = true;
                break;
            }
            let Some(language) = Language::of(&path) else { continue };
            let Some(bytes) = reader.load_path(self, &path) else { continue };
            let wanted =
                |defined: &Defined| terms.iter().any(|term| words::contains(&defined.name, term));
            match self.symbols_of(&path, language, bytes, wanted) {
                Some(symbols) => found.items.extend(symbols),
                None => found.skipped += 1,
            }
            found.files_read += 1;
        }
        found.skipped += reader.skipped;
        found.cut(self.limits.results);
        Ok(found)
    }

    /// What a file defines, in its order, without fields and variants.
    ///
    /// # Errors
    /// [`Error::NoGrammar`] and [`Error::Unparsed`], and those of reading.
    pub fn outline(&self, path: &str) -> Result<Found<Symbol>, Error> {
        let (path, bytes, language) = self.code(path)?;
        let wanted = |defined: &Defined| !matches!(defined.kind, Kind::Field | Kind::Variant);
        let most = self.limits.results;
        let symbols = self.count_symbols(&path, language, &bytes, wanted, most);
        self.cancel.check()?;
        let (items, total) = symbols.ok_or(Error::Unparsed { path })?;
        let mut found = Found { items, total, files_read: 1, ..Found::default() };
        found.cut(self.limits.results);
        Ok(found)
    }

    /// Reads a file that the caller named, if its language is supported.
    pub(crate) fn code(&self, path: &str) -> Result<(String, Vec<u8>, Language), Error> {
        self.cancel.check()?;
        let path = root::clean(path)?;
        let bytes = self.read_text(&path, self.limits.file_bytes)?;
        match Language::of(&path) {
            Some(language) if language.has_grammar() => Ok((path, bytes, language)),
            Some(_) | None => Err(Error::NoGrammar { path }),
        }
    }

    pub(crate) fn parse(&self, language: Language, bytes: &[u8]) -> Option<Parsed> {
        syntax::parse(language, bytes, &self.limits, &self.cancel)
    }

    /// The wanted definitions of a file; `None` if it cannot be parsed.
    fn symbols_of(
        &self,
        path: &str,
        language: Language,
        bytes: &[u8],
        wanted: impl Fn(&Defined) -> bool,
    ) -> Option<Vec<Symbol>> {
        let most = self.limits.results;
        self.count_symbols(path, language, bytes, wanted, most).map(|(symbols, _)| symbols)
    }

    /// The first of them, and how many there are.
    fn count_symbols(
        &self,
        path: &str,
        language: Language,
        bytes: &[u8],
        wanted: impl Fn(&Defined) -> bool,
        most: usize,
    ) -> Option<(Vec<Symbol>, usize)> {
        let parsed = self.parse(language, bytes)?;
        let scan = syntax::scan(&parsed, bytes, Want::default());
        let lines = syntax::rows(bytes);
        let symbol = |defined: Defined| Symbol {
            signature: syntax::signature(bytes, &lines, &defined),
            doc: syntax::doc(bytes, &lines, parsed.language, &defined),
            name: defined.name,
            kind: defined.kind,
            container: defined.container,
            path: path.to_owned(),
            line: defined.row + 1,
            end_line: defined.end + 1,
        };
        let mut defined: Vec<Defined> = scan.defined.into_iter().filter(wanted).collect();
        let total = defined.len();
        defined.truncate(most);
        Some((defined.into_iter().map(symbol).collect(), total))
    }
}
