//! Gets into folders and files that their owner has closed.
//!
//! An agent can take away its own right to read. We are the same user, so we can take it back; the caller restores it
//! where the workspace has to stay as it is.

use std::{ffi::OsStr, fs::File, io::ErrorKind, path::Path};

use consign_files::{Error, Root};

/// Opens a folder that can be listed. If it had to be opened up for this, its rights until then come with it.
pub(super) fn enter(above: &Root, name: &OsStr) -> Result<(Root, Option<u32>), Error> {
    match listed(above, name) {
        Err(error) if error.kind() == ErrorKind::PermissionDenied => {
            let mode = above.metadata(name)?.mode;
            above.set_mode(name, mode | 0o700)?;
            Ok((listed(above, name)?, Some(mode)))
        }
        entered => Ok((entered?, None)),
    }
}

fn listed(above: &Root, name: &OsStr) -> Result<Root, Error> {
    let folder = above.open_dir(name)?;
    folder.entries().map(drop)?;
    Ok(folder)
}

/// Gives a folder the rights that are needed to change what is in it, unless it has them.
pub(super) fn open_up(above: &Root, name: &OsStr, mode: u32) -> Result<(), Error> {
    if mode & 0o700 == 0o700 { Ok(()) } else { above.set_mode(name, mode | 0o700) }
}

/// Opens a file to read it. One that is closed has its rights back when this returns.
///
/// The rights of a file that has other names are left alone: the other names may be outside of the workspace.
pub(super) fn open_file(folder: &Root, name: &OsStr) -> Result<File, Error> {
    let closed = match folder.open_file(name) {
        Err(error) if error.kind() == ErrorKind::PermissionDenied => error,
        opened => return opened,
    };
    let about = folder.metadata(name)?;
    if about.names > 1 {
        return Err(closed);
    }
    folder.set_mode(name, about.mode | 0o400)?;
    let opened = folder.open_file(name);
    folder.set_mode(name, about.mode)?;
    opened
}

/// Opens the workspace itself. A link in its place is refused: who works in it can put one there.
pub(super) fn workspace(path: &Path) -> Result<(Root, &OsStr), Error> {
    let name = path.file_name().ok_or_else(|| Error::NotAFolder { path: path.to_owned() })?;
    let above = match path.parent() {
        Some(above) if !above.as_os_str().is_empty() => above,
        _ => Path::new("."),
    };
    Ok((Root::open(above)?, name))
}
