//! Counts files and lines.
//!
//! Every listed file is read once for its line ends and nothing else; what the walk leaves out is not
//! counted.

use std::collections::{BTreeMap, BTreeSet};

use crate::{
    Class, Error, Language, Repository,
    parallel::{self, is_binary},
    walk::Entry,
};

/// The largest file that is counted. It is larger than what is searched, because counting costs no
/// more than reading.
const LARGEST: u64 = 16 << 20;

/// The files below a folder, counted.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Census {
    /// By language, the one with most lines first.
    pub rows: Vec<Row>,
    pub files: usize,
    pub lines: usize,
    /// Files that are tests, by their [`Class`].
    pub tests: usize,
    /// Folders below it that have files in them, at any depth.
    pub folders: usize,
    /// Files whose lines are not counted: binary, unreadable, too large.
    pub skipped: usize,
    /// A limit or the time was reached: there are more.
    pub truncated: bool,
}

/// The files of one language.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Row {
    /// `None` for all files whose language is not known.
    pub language: Option<Language>,
    pub files: usize,
    /// As `wc -l` counts them; a last line without an end is one too.
    pub lines: usize,
    pub tests: usize,
}

#[derive(Default)]
struct Part {
    rows: BTreeMap<Option<Language>, [usize; 3]>,
    skipped: usize,
    bytes: Vec<u8>,
}

impl Repository {
    /// How many files and lines there are below a folder (the empty path is the root), or in a file.
    ///
    /// # Errors
    /// [`Error::Outside`], [`Error::Missing`].
    pub fn census(&self, path: &str) -> Result<Census, Error> {
        self.cancel.check()?;
        let listing = self.listing()?;
        let below = listing.below(&self.root, path)?;
        let parts = parallel::over(below.files(), &self.cancel, Part::default, |part, entry| {
            let lines = if entry.binary {
                None
            } else {
                let read = self.root.read(&entry.path, LARGEST, &mut part.bytes);
                read.ok().filter(|()| !is_binary(&part.bytes)).map(|()| lines(&part.bytes))
            };
            part.skipped += usize::from(lines.is_none());
            let row = part.rows.entry(entry.language).or_default();
            row[0] += 1;
            row[1] += lines.unwrap_or(0);
            row[2] += usize::from(entry.class == Class::Test);
        });
        self.cancel.check()?;
        let mut rows = BTreeMap::<Option<Language>, [usize; 3]>::new();
        let mut census =
            Census { truncated: listing.truncated || self.cancel.is_late(), ..Census::default() };
        for part in parts {
            census.skipped += part.skipped;
            for (language, counts) in part.rows {
                let row = rows.entry(language).or_default();
                row.iter_mut().zip(counts).for_each(|(sum, count)| *sum += count);
            }
        }
        for (language, [files, lines, tests]) in rows {
            census.files += files;
            census.lines += lines;
            census.tests += tests;
            census.rows.push(Row { language, files, lines, tests });
        }
        census.folders = folders(below.files(), path);
        census.rows.sort_by_key(|row| std::cmp::Reverse((row.lines, row.files)));
        Ok(census)
    }
}

fn folders(files: &[Entry], path: &str) -> usize {
    let above = path.split('/').filter(|part| !matches!(*part, "" | ".")).count();
    let mut all = BTreeSet::new();
    for file in files {
        let ends = file.path.match_indices('/').map(|(at, _)| at).skip(above);
        all.extend(ends.map(|end| &file.path[..end]));
    }
    all.len()
}

fn lines(bytes: &[u8]) -> usize {
    let open = bytes.last().is_some_and(|&last| last != b'\n');
    memchr::memchr_iter(b'\n', bytes).count() + usize::from(open)
}
