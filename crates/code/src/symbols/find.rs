//! Finds the definitions of a name: searches for the word, then parses.

use super::{
    mentions::mentions,
    name::{Case, Name},
};
use crate::{
    Class, Error, Found, Kind, Repository, Symbol, parallel,
    parallel::Reader,
    syntax::Defined,
    walk::{Entry, Listing},
};

/// Definitions after which no more files are parsed: the name is too common.
const ENOUGH: usize = 200;

impl Repository {
    /// Definitions of a name: `login`, `Session::login`, `Session.login`, `auth.login`, `select!`. If
    /// source has none that belong to what is said before the name, then also those where that differs
    /// in case only (`reply.send` for `Reply`); and if there are none at all, those that differ in case.
    /// `note` says so. A kind is meant broadly: who asks for a function may get a method, after the
    /// functions.
    ///
    /// # Errors
    /// [`Error::Pattern`] if it is no name.
    pub fn find_symbol(&self, name: &str, kind: Option<Kind>) -> Result<Found<Symbol>, Error> {
        let wanted = Name::parse(name)?;
        let listing = self.listing()?;
        let exact = self.find(&listing, &wanted, kind, Case::Exact)?;
        if exact.items.iter().any(is_source) || exact.truncated {
            return Ok(exact);
        }
        if !wanted.of.is_empty() {
            let mut other = self.find(&listing, &wanted, kind, Case::OfName)?;
            if other.items.len() > exact.items.len() {
                other.note = Some(if exact.items.is_empty() {
                    format!("nothing is called {name:?}; these differ in case")
                } else {
                    format!("only tests and examples have {name:?}; others differ in case")
                });
                return Ok(other);
            }
        }
        if !exact.items.is_empty() {
            return Ok(exact);
        }
        let mut other = self.find(&listing, &wanted, kind, Case::Any)?;
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
        case: Case,
    ) -> Result<Found<Symbol>, Error> {
        let (mut files, effort) = mentions(self, listing, &name.last, case == Case::Any)?;
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
                        name.is_called(&defined.name, case)
                            && (!name.is_macro || defined.kind == Kind::Macro)
                            && kind.is_none_or(|kind| defined.kind.answers(kind))
                    };
                    match self.symbols_of(&file.entry.path, language, bytes, wanted) {
                        Some(symbols) => all.extend(
                            symbols
                                .into_iter()
                                .filter(|symbol| name.fits(symbol, case))
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
    let test = if symbol.is_in_tests() { 0.5 } else { 1.0 };
    (of_kind + asked + body) * entry.class.factor() * test
}

fn is_source(symbol: &Symbol) -> bool {
    Class::of(&symbol.path) == Class::Source && !symbol.is_in_tests()
}
