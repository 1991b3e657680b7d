//! Finds the files that may use a name, and the order in which to parse them.

use memchr::memmem::Finder;

use super::owner::{Owner, is_parameter};
use crate::{
    Error, Repository,
    parallel::{self, Reader},
    symbols::Effort,
    walk::{Entry, Listing},
    words,
};

/// A file that has the word, and the owner's name if one is asked for.
pub(super) struct File<'a> {
    pub(super) entry: &'a Entry,
    near: bool,
}

/// Files that have a name as a whole word. Those that name its owner too come first, since only
/// they can give certain results; then source before tests. A file need not be parsed where the
/// text before each use shows another owner.
pub(super) fn gather<'a>(
    repository: &Repository,
    listing: &'a Listing,
    name: &str,
    owner: Option<&Owner>,
) -> Result<(Vec<File<'a>>, Effort), Error> {
    let finder = Finder::new(name);
    let spelled = owner.map(|owner| spelled(owner, name)).transpose()?;
    let entries: Vec<&Entry> = listing.files.iter().collect();
    let start = || (Reader::default(), Vec::new());
    let parts = parallel::over(&entries, &repository.cancel, start, |(reader, all), entry| {
        let Some(bytes) = reader.load(repository, entry) else { return };
        let mut whole = finder
            .find_iter(bytes)
            .filter(|&at| words::is_whole(bytes, at, at + name.len()))
            .peekable();
        if whole.peek().is_none() {
            return;
        }
        let near = spelled.as_ref().is_none_or(|spelled| {
            spelled.is_match(bytes) || spelled.is_match(entry.path.as_bytes())
        });
        let is_code = super::is_code(entry.language);
        let open = |owner: &Owner| whole.any(|at| may_belong(&bytes[..at], owner, is_code));
        if near || owner.is_none_or(open) {
            all.push(File { entry, near });
        }
    });
    repository.cancel.check()?;
    let (mut all, mut effort) = (Vec::new(), Effort::default());
    for (reader, part) in parts {
        effort.read += reader.read;
        effort.skipped += reader.skipped;
        all.extend(part);
    }
    all.sort_by(|a: &File<'_>, b| {
        let rank = |file: &File<'_>| (!file.near, file.entry.class);
        rank(a).cmp(&rank(b)).then_with(|| a.entry.path.cmp(&b.entry.path))
    });
    Ok((all, effort))
}

fn spelled(owner: &Owner, name: &str) -> Result<aho_corasick::AhoCorasick, Error> {
    aho_corasick::AhoCorasick::builder()
        .ascii_case_insensitive(true)
        .build(owner.spellings())
        .map_err(|error| Error::Pattern { pattern: name.to_owned(), reason: error.to_string() })
}

/// Whether a name after this text could be the owner's in a file that does not name the owner.
fn may_belong(before: &[u8], owner: &Owner, is_code: bool) -> bool {
    let before = before.trim_ascii_end();
    if let Some(path) = before.strip_suffix(b"::") {
        let from = path.len() - path.iter().rev().take_while(|&&byte| words::is_word(byte)).count();
        let name = std::str::from_utf8(&path[from..]).unwrap_or("");
        return is_parameter(name) || !owner.is_type && ["self", "super", "crate"].contains(&name);
    }
    (!owner.is_type && is_code) || before.ends_with(b".") || before.ends_with(b"->")
}
