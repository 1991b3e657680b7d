//! Finds the uses of a name.
//!
//! The word is looked for in all files, and those that have it are parsed. Of a name that belongs to
//! something (`Client::new`) each use is judged by the text before it: nothing here knows types, so some
//! uses stay uncertain, and the result says how many.

mod files;
mod gathered;
mod owner;
mod verdict;

use self::{
    files::File,
    gathered::Gathered,
    owner::Owner,
    verdict::{Page, Verdict},
};
use crate::{
    Error, Found, Language, Repository,
    parallel::{self, Reader},
    symbols::Name,
    syntax::{self, Use, Want},
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
    /// It belongs to what was asked for, as far as the text says; otherwise it may belong to anything of
    /// that name. A name without an owner is always sure.
    pub sure: bool,
}

/// Where a name is used.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Uses {
    /// The uses that are sure. If there is none, those that are not.
    pub found: Found<Reference>,
    /// How many of what `found` counts in `total` are calls.
    pub calls: usize,
    /// How many uses may belong to the name or to another one like it. If `found` has what is sure they
    /// come on top of it; otherwise they are what it has.
    pub unsure: usize,
    /// All of them were counted; otherwise there are at least so many.
    pub complete: bool,
}

/// Characters of a line that are shown.
const WIDTH: usize = 240;
/// Uses after which no more files are parsed.
const ENOUGH: usize = 5_000;

impl Repository {
    /// Uses of a name that are not its definition: calls first, source before tests. Of `Session::login`
    /// those that belong to `Session`, as far as what stands before them tells.
    ///
    /// # Errors
    /// [`Error::Pattern`] if it is no name.
    pub fn find_references(&self, name: &str, limit: usize) -> Result<Uses, Error> {
        let name = Name::parse(name)?;
        let owner = name.of.last().map(|of| Owner::new(of));
        let listing = self.listing()?;
        let (mut files, effort) = files::gather(self, &listing, &name.last, owner.as_ref())?;
        let mut found = Found {
            truncated: listing.truncated
                || self.cancel.is_late()
                || files.len() > self.limits.parses,
            files_read: effort.read,
            skipped: effort.skipped + listing.skipped,
            ..Found::default()
        };
        files.truncate(self.limits.parses);
        let limit = limit.min(self.limits.results);
        let enough = ENOUGH.max(4 * limit);
        let mut all = Gathered::default();
        for batch in files.chunks(parallel::BATCH) {
            // Of a name that is everywhere the rest need not be parsed.
            if all.sure.items.len() > enough || self.cancel.is_late() {
                found.truncated = true;
                break;
            }
            let start = || (Reader::default(), Gathered::default());
            let parts = parallel::over(batch, &self.cancel, start, |(reader, all), file| {
                if let Some(bytes) = reader.load(self, file.entry) {
                    self.uses(bytes, file, &name, owner.as_ref(), all);
                }
            });
            self.cancel.check()?;
            found.truncated |= self.cancel.is_late();
            parts.into_iter().for_each(|(_, part)| all.join(part, enough));
        }
        found.truncated |= all.cut;
        found.note = owner.as_ref().and_then(|owner| all.note(&name.last, &owner.name));
        let unsure = all.unsure.total;
        let mut kept = if all.sure.total > 0 { all.sure } else { all.unsure };
        (found.items, found.total) = (kept.sorted(), kept.total);
        let complete = !found.truncated;
        found.cut(limit);
        Ok(Uses { found, calls: kept.calls, unsure, complete })
    }

    fn uses(
        &self,
        bytes: &[u8],
        file: &File<'_>,
        name: &Name,
        owner: Option<&Owner>,
        into: &mut Gathered,
    ) {
        let entry = file.entry;
        let lines = syntax::rows(bytes);
        let mut sheet = into.sheet(entry.class);
        let reference = |at: usize, row: usize, usage, within, parsed, sure| Reference {
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
            sure,
        };
        let called = |at: usize| !name.is_macro || bytes.get(at + name.last.len()) == Some(&b'!');
        let parsed = entry.language.and_then(|language| self.parse(language, bytes));
        let Some(parsed) = parsed else {
            let page = owner.map(|owner| Page::new(owner, bytes, &entry.path, None, &[], false));
            let is_code = is_code(entry.language);
            for at in memchr::memmem::find_iter(bytes, &name.last) {
                let whole = words::is_whole(bytes, at, at + name.last.len());
                // In prose a class may be mentioned as one.
                let defined = |language| is_code && syntax::introduced(bytes, at, language);
                if !whole || !called(at) || entry.language.is_some_and(defined) {
                    continue;
                }
                let judge = |page: &Page<'_>| page.judge_word(syntax::close(bytes, at), is_code);
                let verdict = page.as_ref().map_or(Verdict::Sure, judge);
                sheet.add(verdict, Usage::Other, |sure| {
                    let row = lines.partition_point(|&start| start <= at).saturating_sub(1);
                    reference(at, row, Usage::Other, None, false, sure)
                });
            }
            return;
        };
        let scan = syntax::scan(&parsed, bytes, Want { name: Some(&name.last), ..Want::default() });
        let language = Some(parsed.language);
        let defines = scan.defined.iter().any(|at| at.container.is_none() && at.name == name.last);
        let page =
            owner.map(|owner| Page::new(owner, bytes, &entry.path, language, &scan.uses, defines));
        let within = |index: usize| {
            let defined = scan.defined.get(index)?;
            Some(match &defined.container {
                Some(container) => {
                    format!("{container}{}{}", parsed.grammar.separator, defined.name)
                }
                None => defined.name.clone(),
            })
        };
        let wanted = |found: &&Use| called(found.at) || found.import.is_some();
        for found in scan.uses.iter().filter(wanted) {
            let verdict = page.as_ref().map_or(Verdict::Sure, |page| page.judge(found));
            sheet.add(verdict, found.usage, |sure| {
                let within = found.within.and_then(within);
                reference(found.at, found.row, found.usage, within, true, sure)
            });
        }
        if scan.cut {
            sheet.cut();
        }
    }
}

/// Whether a file is program code in a language that is not supported.
fn is_code(language: Option<Language>) -> bool {
    language.is_some_and(|language| !language.is_prose_or_data())
}
