//! Opening a history to append to it: creating, opening and repairing.
//!
//! Opening reads the head, the interactions after the last place that `offsets` knows, and the tail. It also undoes a
//! rotation that a crash interrupted. It does not look for damage in what is older: [`check`](super::check()) does.

use std::{fs::File, os::unix::fs::FileExt, path::Path};

use consign_files::{Access, Root};

use super::{
    Error, Head, HistoryFile, body::Body, file::Pending, head::HeadLine, locate, names,
    offsets::Offsets, segment, tail::Tail, view::View, whole,
};

/// What is done with a file that is torn.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Torn {
    Refuse,
    Mend,
}

impl HistoryFile {
    /// Begins a history with interaction 0. Segments that may lie there do not count.
    ///
    /// # Errors
    /// [`Error::Refused`] if there is a `jobHistory.json`; [`Error::Missing`] if there is no such directory.
    pub fn create(job_dir: &Path, head: &Head, rotate_bytes: u64) -> Result<Self, Error> {
        Self::create_with(job_dir, &HeadLine::new(head, 0), rotate_bytes)
    }

    pub(super) fn create_with(
        job_dir: &Path,
        head: &HeadLine,
        rotate_bytes: u64,
    ) -> Result<Self, Error> {
        let root = match Root::open(job_dir) {
            Err(error) if error.is_missing() => {
                return Err(Error::Missing { dir: job_dir.to_owned() });
            }
            opened => opened?,
        };
        match root.metadata(names::FILE) {
            Err(error) if error.is_missing() => {}
            found => {
                found?;
                return Err(Error::refused("there is a history already"));
            }
        }
        root.remove_file(names::INDEX)?;
        whole::write(&root, head, std::iter::empty(), &Tail::empty())?;
        Self::open(job_dir, rotate_bytes)
    }

    /// Opens a history.
    ///
    /// # Errors
    /// Every variant but [`Error::Refused`] says what there is instead of a whole history.
    pub fn open(job_dir: &Path, rotate_bytes: u64) -> Result<Self, Error> {
        open(job_dir, rotate_bytes, Torn::Refuse)
    }

    /// Opens a history that a crash tore. It keeps the interactions before the damage; recovery points are all kept, or
    /// none if their place was torn. The caller appends what is missing.
    ///
    /// What is behind the damage is gone: a file that people edited is for [`rebuild`](super::rebuild()), which puts it
    /// aside.
    ///
    /// # Errors
    /// [`Error::Damaged`] where the segments, the index or the first line are damaged.
    pub fn repair(job_dir: &Path, rotate_bytes: u64) -> Result<Self, Error> {
        open(job_dir, rotate_bytes, Torn::Mend)
    }
}

fn open(job_dir: &Path, rotate_bytes: u64, torn: Torn) -> Result<HistoryFile, Error> {
    let view = View::open(job_dir)?;
    view.index.fits(view.head.first)?;
    settle(&view)?;
    for segment in &view.index.segments {
        segment::open(&view.root, segment)?;
    }
    let View { root, head, start, index, .. } = view;
    let file = root.open_in_place(names::FILE, Access::Private)?;
    let mut offsets = Offsets::open(&root, head.first, true);
    let mut body = locate::near(&file, &head, start, offsets.as_ref(), u64::MAX)?;
    let known = body.due() - head.first;
    if offsets.as_mut().is_none_or(|offsets| offsets.truncate(known).is_err()) {
        offsets = Offsets::create(&root, head.first).ok();
    }
    let read = read_on(&file, &mut body, &mut offsets);
    let (end, next) = (body.end(), body.due());
    let tail = read.and_then(|()| Tail::read(&file, end));
    let tail = match tail {
        Err(Error::Damaged { .. }) if torn == Torn::Mend => mend(&file, end)?,
        tail => tail?,
    };
    let (pending, is_torn) = (Pending::default(), false);
    let history = HistoryFile {
        root,
        file,
        head,
        start,
        end,
        next,
        tail,
        index,
        offsets,
        pending,
        rotate_bytes,
        is_torn,
    };
    Ok(history)
}

/// Makes true on the disk what `first_sequence` says: segments that do not count are removed.
fn settle(view: &View) -> Result<(), Error> {
    let View { root, index, dropped, .. } = view;
    if !dropped.is_empty() {
        index.save(root)?;
    }
    // A rotation may have ended before the index had its segment.
    let unlisted = names::segment(index.segments.len() + 1);
    let is_listed = |name: &String| index.segments.iter().any(|segment| segment.file == *name);
    for name in dropped.iter().chain([&unlisted]).filter(|name| !is_listed(name)) {
        root.remove_file(names::in_folder(name))?;
    }
    Ok(())
}

/// Reads on to the last interaction, and notes where each begins.
fn read_on(file: &File, body: &mut Body, offsets: &mut Option<Offsets>) -> Result<(), Error> {
    const MANY: usize = 4096;
    let mut entries = Vec::new();
    let mut note = |entries: &mut Vec<u64>| {
        if offsets.as_mut().is_some_and(|offsets| offsets.push(entries).is_err()) {
            *offsets = None;
        }
        entries.clear();
    };
    // Only what was synced is noted, and who wrote this may not have come to it.
    file.sync_data().map_err(Error::io("sync", names::FILE))?;
    loop {
        match body.next() {
            Ok(Some((at, _))) => entries.push(at),
            Ok(None) => break,
            Err(error) => {
                note(&mut entries);
                return Err(error);
            }
        }
        if entries.len() == MANY {
            note(&mut entries);
        }
    }
    note(&mut entries);
    Ok(())
}

/// Ends a file that is torn after its last whole interaction.
fn mend(file: &File, end: u64) -> Result<Tail, Error> {
    let tail = Tail::empty();
    file.write_all_at(tail.bytes(), end).map_err(Error::io("write", names::FILE))?;
    file.set_len(end + tail.bytes().len() as u64).map_err(Error::io("write", names::FILE))?;
    file.sync_data().map_err(Error::io("sync", names::FILE))?;
    Ok(tail)
}
