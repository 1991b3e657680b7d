//! Finds the types that extend or implement a type.
//!
//! Files that have the name where a head may be ([`head`]) are parsed, and the heads of their types are
//! read: comments and strings do not count. Go has no keyword for it; there a type that has all methods
//! of an interface implements it ([`go`]).

mod go;
mod head;

use std::sync::atomic::{AtomicU64, Ordering};

use self::head::Mention;
use crate::{
    Error, Found, Language, Repository, parallel,
    symbols::Name,
    syntax::{self, Want, parts},
    walk::Entry,
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

/// Bytes that are parsed for the sake of the number, once there are more than can be listed.
const COUNTED_BYTES: u64 = 8 << 20;

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
        let mention = Mention::new(&name.last);
        let mentioned = self.sweep(&files, |entry, language, bytes| {
            let has = mention.may_be_base(language, bytes);
            Some(has.then(|| entry.path.clone()).into_iter().collect())
        })?;
        let mut having = mentioned.items.into_iter().peekable();
        files.retain(|entry| having.next_if(|path| *path == entry.path).is_some());
        let mut heirs = Found {
            at_least: listing.truncated || listing.late || mentioned.late,
            files_read: mentioned.read,
            skipped: listing.skipped + mentioned.skipped,
            ..Found::default()
        };
        let go = |entry: &Entry| entry.language == Some(Language::Go);
        let in_go = files.iter().any(|entry| go(entry));
        files.retain(|entry| !go(entry));
        self.heads(&name, &files, &mut heirs)?;
        // Who implements what comes with Go need not name it.
        let anywhere = !name.of.is_empty();
        if in_go || anywhere && listing.files.iter().any(go) {
            self.go_heirs(&listing, &name, &mut heirs)?;
        }
        heirs.truncated |= heirs.at_least;
        heirs.cut(self.limits.results);
        Ok(heirs)
    }

    /// Adds the types of these files that name the base in their heads.
    fn heads(&self, name: &Name, files: &[&Entry], into: &mut Found<Heir>) -> Result<(), Error> {
        into.at_least |= files.len() > self.limits.parses;
        let files = &files[..files.len().min(self.limits.parses)];
        let parsed_bytes = AtomicU64::new(0);
        for batch in files.chunks(parallel::BATCH) {
            let listed = into.items.len() > self.limits.results;
            if listed && parsed_bytes.load(Ordering::Relaxed) > COUNTED_BYTES {
                into.at_least = true;
                break;
            }
            let found = self.sweep(batch, |entry, language, bytes| {
                parsed_bytes.fetch_add(bytes.len() as u64, Ordering::Relaxed);
                let parsed = self.parse(language, bytes)?;
                let want = Want { base: Some(&name.last), ..Want::default() };
                let heirs = syntax::scan(&parsed, bytes, want).heirs.into_iter();
                let heirs = heirs.filter(|heir| may_be(name, &heir.base)).map(|heir| Heir {
                    name: heir.name,
                    path: entry.path.to_string(),
                    line: heir.row + 1,
                    how: heir.how,
                });
                Some(heirs.collect::<Vec<_>>())
            })?;
            into.items.extend(found.items);
            into.files_parsed += found.read;
            into.skipped += found.skipped;
            into.at_least |= found.late;
        }
        Ok(())
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
