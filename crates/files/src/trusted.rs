//! Paths that the user or we name, and not a stranger: links on the way to a file are followed.
//!
//! A path below a folder whose content is a stranger's never comes here: it goes through a
//! [`Root`].

use std::{
    fs::{self, DirBuilder, File},
    io,
    os::unix::fs::{DirBuilderExt, OpenOptionsExt},
    path::Path,
};

use rustix::{fs::OFlags, io::Errno};

use crate::{
    Access, BadPath, Error, FileId, Links, Root,
    change::sync_file,
    read::{fill, regular},
    root::{CAREFULLY, failed},
};

/// Reads a whole file, unless it has more than `limit` bytes. A link to it is followed; pipes and devices
/// are refused, and not waited for.
///
/// # Errors
/// [`Error::Missing`], [`Error::NotAFile`], [`Error::TooLarge`], [`Error::Io`].
pub fn read(path: &Path, limit: u64) -> Result<Vec<u8>, Error> {
    let (file, size) = open(path, OFlags::empty())?;
    let mut bytes = Vec::new();
    fill(file, size, limit, &mut bytes, || path.to_owned())?;
    Ok(bytes)
}

/// Opens a regular file to read it. If it is a link itself, that is [`Error::Link`]; folders on the way
/// may be links.
///
/// # Errors
/// [`Error::Missing`], [`Error::NotAFile`], [`Error::Io`].
pub fn open_no_link(path: &Path) -> Result<File, Error> {
    open(path, OFlags::NOFOLLOW).map(|(file, _)| file)
}

fn open(path: &Path, flags: OFlags) -> Result<(File, u64), Error> {
    let flags = OFlags::RDONLY | CAREFULLY | OFlags::CLOEXEC | flags;
    let opened = rustix::fs::open(path, flags, rustix::fs::Mode::empty());
    let opened = opened.map_err(|errno| match errno {
        Errno::NXIO | Errno::NODEV => Error::NotAFile { path: path.to_owned() },
        errno => failed("open", path, errno, Links::Refuse),
    })?;
    regular(opened.into(), || path.to_owned())
}

/// Opens a regular file to change it where it is, and makes it if it is not there. It is
/// [`Root::open_in_place`] in the folder of the file.
///
/// # Errors
/// [`Error::Link`], [`Error::NotAFile`], [`Error::HardLinked`], [`Error::Io`].
pub fn open_in_place(path: &Path, access: Access) -> Result<File, Error> {
    let (folder, name) = split(path)?;
    Root::open(folder)?.open_in_place(name, access)
}

/// Replaces a file, or makes it, in one step and durably: [`Root::write_atomic`] in the folder of the file.
///
/// # Errors
/// The place is as it was, except after [`Error::Sync`] of the folder.
pub fn write_atomic(path: &Path, bytes: &[u8], access: Access) -> Result<(), Error> {
    let (folder, name) = split(path)?;
    Root::open(folder)?.write_atomic(name, bytes, access)
}

/// Replaces a link, or makes it, in one step and durably: [`Root::link_atomic`] in the folder of the link.
///
/// # Errors
/// The place is as it was, except after [`Error::Sync`] of the folder.
pub fn link_atomic(path: &Path, target: &Path) -> Result<(), Error> {
    let (folder, name) = split(path)?;
    Root::open(folder)?.link_atomic(name, target)
}

/// Makes a file where there is none, whole and durably: [`Root::create_once`] in the folder of the file.
///
/// # Errors
/// [`Error::AlreadyExists`] if something is there.
pub fn create_once(path: &Path, bytes: &[u8], access: Access) -> Result<File, Error> {
    let (folder, name) = split(path)?;
    Root::open(folder)?.create_once(name, bytes, access)
}

/// Makes a folder and those above it, and makes each durable before the next: what is written in a folder
/// is lost when the folder itself is. Rights are `mode`, less those of the umask.
///
/// # Errors
/// [`Error::Sync`]; [`Error::Io`] with the folder that could not be made.
pub fn create_folders(folder: &Path, mode: u32) -> Result<(), Error> {
    if folder.as_os_str().is_empty() || folder.is_dir() {
        return Ok(());
    }
    let above = folder.parent().unwrap_or(Path::new(""));
    create_folders(above, mode)?;
    match DirBuilder::new().mode(mode).create(folder) {
        Err(error) if error.kind() != io::ErrorKind::AlreadyExists || !folder.is_dir() => {
            Err(Error::Io { doing: "create", path: folder.to_owned(), source: error })
        }
        // Another process that made it at this moment may not have synced it yet.
        Ok(()) | Err(_) => sync_folder(above),
    }
}

/// Makes the names in a folder durable. The empty path is the current folder.
///
/// # Errors
/// [`Error::Sync`]; [`Error::Io`] where it cannot be opened, or the file system cannot sync a folder.
pub fn sync_folder(folder: &Path) -> Result<(), Error> {
    let folder = here(folder);
    let opened = fs::OpenOptions::new().read(true).custom_flags(directory()).open(folder);
    let opened =
        opened.map_err(|source| Error::Io { doing: "open", path: folder.to_owned(), source })?;
    sync_file(&opened, folder)
}

/// Removes a file, or a link itself. Says whether there was one.
///
/// # Errors
/// [`Error::Io`] if it stays.
pub fn remove_file(path: &Path) -> Result<bool, Error> {
    match fs::remove_file(path) {
        Ok(()) => Ok(true),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
        Err(source) => Err(Error::Io { doing: "remove", path: path.to_owned(), source }),
    }
}

/// Whether a path still names the file that is open: not another one, and not a link to it.
///
/// # Errors
/// Those of the system; that nothing is there is none.
pub fn is_at(path: &Path, file: &File) -> io::Result<bool> {
    match FileId::at(path) {
        Ok(named) => Ok(named == FileId::of(file)?),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
        Err(error) => Err(error),
    }
}

/// The folder that a file is in, and its name.
fn split(path: &Path) -> Result<(&Path, &Path), Error> {
    let nameless = || Error::BadPath { path: path.to_owned(), why: BadPath::Nameless };
    let name = path.file_name().ok_or_else(nameless)?;
    Ok((here(path.parent().unwrap_or(Path::new(""))), Path::new(name)))
}

fn here(folder: &Path) -> &Path {
    if folder.as_os_str().is_empty() { Path::new(".") } else { folder }
}

fn directory() -> i32 {
    i32::try_from(OFlags::DIRECTORY.bits()).unwrap_or_default()
}
