//! A history that is open to be read: `jobHistory.json` and the segments that count.

use std::{fs::File, path::Path};

use consign_files::Root;

use super::{
    Error,
    foreign::{self, Foreign},
    head::{self, HeadLine},
    index::Index,
    names,
};

pub(super) struct View {
    pub(super) root: Root,
    pub(super) file: File,
    pub(super) head: HeadLine,
    /// Where the interactions begin.
    pub(super) start: u64,
    /// The segments that count.
    pub(super) index: Index,
    /// The names of those that the index also has, and that do not.
    pub(super) dropped: Vec<String>,
}

impl View {
    /// Opens all of it. The index is not held against the segments yet.
    pub(super) fn open(job_dir: &Path) -> Result<Self, Error> {
        Self::open_with(job_dir, Index::load)
    }

    /// Opens `jobHistory.json`, then takes the index from `load`. In this order: a rotation in between leaves us with
    /// the file as it was, and with a segment that does not count.
    pub(super) fn open_with(
        job_dir: &Path,
        load: impl FnOnce(&Root) -> Result<Index, Error>,
    ) -> Result<Self, Error> {
        let (root, file) = open(job_dir)?;
        let Some((head, start)) = HeadLine::read(&file)? else {
            return Err(refuse(job_dir, &file));
        };
        if head::major(head.version()) != Some(1) {
            return Err(refuse_version(head.version()));
        }
        let all = load(&root)?;
        let index = all.clone().before(head.first);
        let is_dropped = |name: &String| index.segments.iter().all(|kept| kept.file != *name);
        let names = all.segments.into_iter().map(|segment| segment.file);
        let dropped = names.filter(is_dropped).collect();
        Ok(Self { root, file, head, start, index, dropped })
    }
}

/// Opens a job's directory and its `jobHistory.json`, whatever its form.
pub(super) fn open(job_dir: &Path) -> Result<(Root, File), Error> {
    let missing = |error: consign_files::Error| match error.is_missing() {
        true => Error::Missing { dir: job_dir.to_owned() },
        false => error.into(),
    };
    let root = Root::open(job_dir).map_err(missing)?;
    let file = root.open_file(names::FILE).map_err(missing)?;
    Ok((root, file))
}

/// Why a file that has not our form cannot be opened.
pub(super) fn refuse(job_dir: &Path, file: &File) -> Error {
    let mut found = Foreign::default();
    let read = foreign::look(file, &mut found);
    let version = found.version.as_deref();
    match (version.map(head::major), read) {
        // Also if it breaks off later.
        (Some(Some(2..)), _) => refuse_version(version.unwrap_or_default()),
        (_, Err(error)) => error,
        (Some(Some(1)), Ok(())) if found.is_ours => {
            Error::damaged(None, "the file was laid out anew by another program")
        }
        (None | Some(Some(0 | 1)), Ok(())) => Error::NeedsMigration { dir: job_dir.to_owned() },
        (Some(None), Ok(())) => refuse_version(version.unwrap_or_default()),
    }
}

/// Why a file of this version, which is not ours, cannot be opened.
fn refuse_version(version: &str) -> Error {
    match head::major(version) {
        Some(2..) => Error::TooNew { version: version.to_owned() },
        Some(0 | 1) | None => Error::damaged(None, format!("there is no version {version:?}")),
    }
}
