//! Writing the files of a job into a folder of the user's.
//!
//! All files are looked at before the first is written, so that a refusal leaves the folder as it was. What appears in
//! between is not lost either: a new file is made only where there is none. A link is never written through or replaced.

use std::path::{Path, PathBuf};

use consign_authoring::job::MadeFile;
use consign_files::{Access, Error, Kind, Root, trusted};

use crate::error::Refused;

const FILE: u32 = 0o644;
const FOLDER: u32 = 0o755;

/// Where files are written.
#[derive(Clone, Copy, Debug)]
pub struct Target<'a> {
    /// It is made if it is not there.
    pub folder: &'a Path,
    /// Whether files that are there already may be replaced.
    pub may_replace: bool,
}

/// What becomes of a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Change {
    New,
    Replaced,
}

/// A file in its place, or one that would be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlacedFile {
    /// The target's folder and the path below it.
    pub path: PathBuf,
    pub change: Change,
    access: Access,
}

/// Says what [`write`] would do, and refuses what it would refuse. Writes nothing.
pub fn place(target: Target<'_>, files: &[MadeFile]) -> Result<Vec<PlacedFile>, Refused> {
    let root = match Root::open(target.folder) {
        Ok(root) => Some(root),
        Err(Error::Missing { .. }) => None,
        Err(cause) => return Err(unusable(&cause)),
    };
    look(target, root.as_ref(), files)
}

/// Writes the files. Each appears whole or not at all.
pub fn write(target: Target<'_>, files: &[MadeFile]) -> Result<Vec<PlacedFile>, Refused> {
    let placed = place(target, files)?;
    trusted::create_folders(target.folder, FOLDER).map_err(|cause| unusable(&cause))?;
    let root = Root::open(target.folder).map_err(|cause| unusable(&cause))?;
    for (at, (file, place)) in files.iter().zip(&placed).enumerate() {
        write_one(&root, file, place).map_err(|cause| {
            let before = placed[..at].iter();
            let before = before.map(|place| format!("written before that: {}", shown(&place.path)));
            let appeared = matches!(cause, Error::AlreadyExists { .. });
            let refused = if appeared { exist(1) } else { unusable(&cause) };
            refused.listing([format!("not written: {}", shown(&place.path))]).listing(before)
        })?;
    }
    Ok(placed)
}

fn write_one(root: &Root, file: &MadeFile, place: &PlacedFile) -> Result<(), Error> {
    let path = Path::new(&file.path);
    if let Some(above) = path.parent() {
        root.create_dir_all(above, FOLDER)?;
    }
    let bytes = file.content.as_bytes();
    match place.change {
        Change::New => root.create_once(path, bytes, place.access).map(drop),
        Change::Replaced => root.write_atomic(path, bytes, place.access),
    }
}

fn look(
    target: Target<'_>,
    root: Option<&Root>,
    files: &[MadeFile],
) -> Result<Vec<PlacedFile>, Refused> {
    let (mut placed, mut there, mut unfit) = (Vec::new(), Vec::new(), Vec::new());
    for file in files {
        let path = target.folder.join(&file.path);
        match found(root, &file.path) {
            Ok(Some(mode)) => {
                there.push(shown(&path));
                let access = Access::Shared(mode & 0o777);
                placed.push(PlacedFile { path, change: Change::Replaced, access });
            }
            Ok(None) => {
                placed.push(PlacedFile { path, change: Change::New, access: Access::Shared(FILE) });
            }
            Err(why) => unfit.push(why),
        }
    }
    if !unfit.is_empty() {
        let told = "nothing was written: the target has something in the way of the files";
        return Err(Refused::new("TARGET_UNUSABLE", told)
            .listing(unfit)
            .hint("choose another folder, or move what is in the way"));
    }
    if !there.is_empty() && !target.may_replace {
        return Err(exist(there.len()).listing(there));
    }
    Ok(placed)
}

/// The rights of the file that is at a path; nothing if nothing is there. The text of a path is judged even if there is
/// no folder yet.
fn found(root: Option<&Root>, path: &str) -> Result<Option<u32>, String> {
    let mut parts = path.split('/');
    if path.contains('\0') || parts.any(|part| ["", ".", ".."].contains(&part)) {
        return Err(format!("{path:?} is not a path below a folder"));
    }
    let Some(root) = root else { return Ok(None) };
    match root.metadata(path) {
        Ok(about) => match about.kind {
            Kind::File => Ok(Some(about.mode)),
            Kind::Link => Err(format!("{:?} is a link", root.path().join(path))),
            Kind::Folder => Err(format!("{:?} is a folder", root.path().join(path))),
            Kind::Other => Err(format!("{:?} is not a regular file", root.path().join(path))),
        },
        Err(Error::Missing { .. }) => Ok(None),
        Err(cause) => Err(with_source(&cause)),
    }
}

fn exist(count: usize) -> Refused {
    let told = match count {
        1 => "a file is there already, and is not replaced".to_owned(),
        _ => format!("{count} files are there already, and are not replaced"),
    };
    Refused::new("FILE_EXISTS", told).hint("choose another folder, or say --force to replace them")
}

fn unusable(cause: &Error) -> Refused {
    Refused::new("TARGET_UNUSABLE", with_source(cause))
}

fn with_source(cause: &Error) -> String {
    let why = std::error::Error::source(cause).map(|why| format!(": {why}")).unwrap_or_default();
    format!("{cause}{why}")
}

fn shown(path: &Path) -> String {
    path.display().to_string()
}

#[cfg(test)]
mod tests;
