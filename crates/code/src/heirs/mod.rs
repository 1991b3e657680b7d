//! Finds the types that extend or implement a type.
//!
//! Files that have the name are parsed, and the heads of their types are read: comments and strings do
//! not count. Go has no keyword for it; there a type that has all methods of an interface implements it
//! ([`go`]).

mod go;

use memchr::memmem::Finder;

use crate::{
    Error, Found, Language, Repository,
    symbols::Name,
    syntax::{self, Want, parts},
    walk::Entry,
    words,
};

/// A type that extends or implements another.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Heir {
    pub name: String,
    pub path: String,
    /// From 1.
    pub line: usize,
    /// What it does to the other: `extends`, `implements`, `derives`, `embeds`, `has its methods`; a
    /// Rust trait `asks for` another, and does not implement it.
    pub how: &'static str,
}

impl Repository {
    /// Types that say in their definition that they build on a type of this name, and Go types that have
    /// all methods of an interface of this name. Only the nearest: what builds on an heir is not looked
    /// for. Source comes before tests, each in the order of path and line. `note` says what could not be
    /// told.
    ///
    /// # Errors
    /// [`Error::Pattern`] if it is no name.
    pub fn heirs(&self, name: &str) -> Result<Found<Heir>, Error> {
        let bare = name.split(['<', '[']).next().unwrap_or(name);
        let name = Name::parse(bare)?;
        let listing = self.listing()?;
        let mut files: Vec<&Entry> = listing
            .files
            .iter()
            .filter(|entry| entry.language.is_some_and(Language::has_grammar))
            .collect();
        files.sort_by_key(|entry| entry.class);
        let finder = Finder::new(&name.last);
        let mentioned = self.sweep(&files, |entry, _, bytes| {
            let size = name.last.len();
            let mut places = finder.find_iter(bytes);
            let has = places.any(|at| words::is_whole(bytes, at, at + size));
            Some(has.then(|| entry.path.clone()).into_iter().collect())
        })?;
        let all = mentioned.items.len();
        let mut having = mentioned.items.into_iter().take(self.limits.parses).peekable();
        files.retain(|entry| having.next_if(|path| *path == entry.path).is_some());
        let found = self.sweep(&files, |entry, language, bytes| {
            let parsed = self.parse(language, bytes)?;
            let want = Want { base: Some(&name.last), ..Want::default() };
            let heirs = syntax::scan(&parsed, bytes, want).heirs.into_iter();
            let heirs = heirs.filter(|heir| may_be(&name, &heir.base)).map(|heir| Heir {
                name: heir.name,
                path: entry.path.to_string(),
                line: heir.row + 1,
                how: heir.how,
            });
            Some(heirs.collect::<Vec<_>>())
        })?;
        let mut heirs = Found {
            items: found.items,
            truncated: listing.truncated
                || listing.late
                || all > self.limits.parses
                || mentioned.late
                || found.late,
            files_read: mentioned.read,
            skipped: listing.skipped + mentioned.skipped + found.skipped,
            ..Found::default()
        };
        // Who implements what comes with Go need not name it.
        let anywhere = !name.of.is_empty();
        let go = |entry: &Entry| entry.language == Some(Language::Go);
        if files.iter().any(|entry| go(entry)) || anywhere && listing.files.iter().any(go) {
            self.go_heirs(&listing, &name, &mut heirs)?;
        }
        heirs.cut(self.limits.results);
        Ok(heirs)
    }
}

/// Whether a base as it is written may be the one that is asked for: `forms.Model` is no `db.Model`. What
/// is written without a place, or with one that depends on where it stands, may be any.
fn may_be(name: &Name, written: &str) -> bool {
    let places = ["crate", "self", "super", "this", "global"];
    let written = parts(written);
    let near = written.iter().rev().nth(1).filter(|part| !places.contains(part));
    let asked = name.of.last().filter(|part| !places.contains(&part.as_str()));
    match (near, asked) {
        (Some(near), Some(asked)) => near.eq_ignore_ascii_case(asked),
        _ => true,
    }
}
