//! Taking over a `jobHistory.json` without a version, or one of another program, in whatever layout it is.
//!
//! The new history is written in a folder of its own; then its parts are moved to their places, `jobHistory.json` last.
//! A crash before that leaves the old file, and migrating begins again.

use std::{fs, path::Path};

use consign_contracts::json::{self, Json};
use consign_engine::Data;
use consign_files::Root;
use serde_json::value::RawValue;

use super::{
    Error, Head, HistoryFile,
    body::{LINE_LIMIT, sequence_of},
    foreign::{self, Foreign},
    head::HeadLine,
    names, view,
};

/// The name that the old file keeps.
const KEPT: &str = "jobHistory.json.before-1.0";
/// The folder in which the new history is written.
const FOLDER: &str = ".history-migrating";
/// How much is appended at a time.
const BATCH_BYTES: usize = 1 << 20;

/// Takes over a history without a version. The old file is kept as `jobHistory.json.before-1.0`. Its interactions keep
/// their sequences, which may begin with 0 or 1. A history that has our form is only opened.
///
/// # Errors
/// [`Error::Damaged`] names an interaction that cannot be read or is out of order; nothing was changed then.
/// [`Error::TooNew`] for a newer version.
pub fn migrate(job_dir: &Path, rotate_bytes: u64) -> Result<HistoryFile, Error> {
    let (root, file) = view::open(job_dir)?;
    if HeadLine::read(&file)?.is_some() {
        return HistoryFile::open(job_dir, rotate_bytes);
    }
    match view::refuse(job_dir, &file) {
        Error::NeedsMigration { .. } => {}
        error @ (Error::Missing { .. }
        | Error::Damaged { .. }
        | Error::TooNew { .. }
        | Error::Refused { .. }
        | Error::Io(_)) => return Err(error),
    }
    let mut old = Foreign::default();
    foreign::look(&file, &mut old)?;
    if !old.has_interactions || old.job_id.is_empty() {
        return Err(Error::damaged(None, "it has no interactions or no job_id"));
    }
    let folder = root.path().join(FOLDER);
    clear(&folder)?;
    root.create_dir(FOLDER, names::FOLDER_MODE)?;
    write(&folder, &file, old, rotate_bytes)?;
    let new = root.open_dir(FOLDER)?;
    move_segments(&root, &new)?;
    keep(&root, &file)?;
    root.rename(format!("{FOLDER}/{}", names::FILE), names::FILE)?;
    root.sync()?;
    clear(&folder)?;
    HistoryFile::open(job_dir, rotate_bytes)
}

/// Writes the new history.
fn write(folder: &Path, file: &fs::File, old: Foreign, rotate_bytes: u64) -> Result<(), Error> {
    let about = Head { job_id: old.job_id, created_at: old.created_at };
    let mut head = HeadLine::new(&about, 0);
    for (name, text) in old.more {
        head = head.with(&name, tree(&text, None)?);
    }
    let mut new = None;
    let mut batch = Vec::new();
    let mut size = 0;
    let mut due = None;
    foreign::each(file, |text| {
        let data = Data::from(&tree(&text, due)?);
        let sequence = sequence_of(data.as_str().as_bytes());
        let sequence =
            sequence.ok_or_else(|| Error::damaged(due, "it does not say its sequence"))?;
        if due.is_some_and(|due| due != sequence) || due.is_none() && sequence > 1 {
            return Err(Error::damaged(due, format!("interaction {sequence} is in its place")));
        }
        if due.is_none() {
            let head = head.clone().starting_at(sequence);
            new = Some(HistoryFile::create_with(folder, &head, rotate_bytes)?);
        }
        due = Some(sequence + 1);
        size += data.as_str().len();
        batch.push(data);
        if size >= BATCH_BYTES
            && let Some(new) = &mut new
        {
            new.append(&batch, &[], false)?;
            batch.clear();
            size = 0;
        }
        Ok(())
    })?;
    let mut new = match new {
        Some(new) => new,
        None => HistoryFile::create_with(folder, &head, rotate_bytes)?,
    };
    let points: Result<Vec<Data>, Error> =
        old.points.iter().map(|text| Ok(Data::from(&tree(text, None)?))).collect();
    new.append(&batch, &points?, true)
}

/// What a foreign text says, by the strict reader.
fn tree(text: &RawValue, sequence: Option<u64>) -> Result<Json<'static>, Error> {
    let limits = json::Limits { bytes: LINE_LIMIT as usize, ..json::Limits::default() };
    let tree = json::parse_within(text.get().as_bytes(), limits);
    Ok(tree.map_err(|why| Error::damaged(sequence, why.to_string()))?.into_owned())
}

/// Brings the segments and their index to their places. They do not count there yet.
fn move_segments(root: &Root, new: &Root) -> Result<(), Error> {
    root.create_dir_all(names::FOLDER, names::FOLDER_MODE)?;
    let (to, from) = (root.open_dir(names::FOLDER)?, new.open_dir(names::FOLDER)?);
    // One of an attempt before this one.
    root.remove_file(names::INDEX)?;
    for entry in from.entries()? {
        let path = Path::new(names::FOLDER).join(entry?.name);
        root.rename(Path::new(FOLDER).join(&path), &path)?;
    }
    to.sync()?;
    Ok(root.sync()?)
}

/// Gives the old file a second name.
fn keep(root: &Root, file: &fs::File) -> Result<(), Error> {
    let mut name = KEPT.to_owned();
    let mut number = 1;
    loop {
        if root.is_at(&name, file)? {
            return Ok(());
        }
        match fs::hard_link(root.path().join(names::FILE), root.path().join(&name)) {
            Ok(()) => return Ok(root.sync()?),
            Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => {
                name = format!("{KEPT}-{number}");
                number += 1;
            }
            Err(error) => return Err(Error::io("keep", name)(error)),
        }
    }
}

fn clear(folder: &Path) -> Result<(), Error> {
    match fs::remove_dir_all(folder) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
            Err(Error::io("remove", folder)(error))
        }
        Ok(()) | Err(_) => Ok(()),
    }
}
