//! Replacing a file in one step: the old one or the new one, never half of either.
//!
//! The new content is written into another file of the same folder and synced; then that file is renamed
//! over the old one, and the folder is synced. A crash before the rename leaves the old file, and perhaps
//! the unfinished one beside it; a crash after it leaves the new one.

use std::{
    ffi::{OsStr, OsString},
    fs::File,
    io::{self, Write},
    os::unix::ffi::OsStrExt,
    path::Path,
};

use rustix::fs::AtFlags;

use crate::{Access, BadPath, Error, Root, change::sync_file, path::is_name};

impl Root {
    /// Puts a file in its place, whatever was there, durably. A link that was there is replaced itself,
    /// and other names of an old file keep the old content.
    ///
    /// The unfinished file has a name that others do not guess, so that two may write at the same time;
    /// the last one stays. After a crash it remains: a hidden name that has the file's, sixteen digits and
    /// `.new`.
    ///
    /// # Errors
    /// The place is as it was, and nothing is left beside it. Only after [`Error::Sync`] of the folder
    /// the new file is there, and it is not known for how long.
    pub fn write_atomic(
        &self,
        path: impl AsRef<Path>,
        bytes: &[u8],
        access: Access,
    ) -> Result<(), Error> {
        let path = path.as_ref();
        let (folder, name) = self.folder_of(path)?;
        let unfinished = unfinished_name(name).map_err(|source| self.io("write", path, source))?;
        folder.replace(name, &unfinished, bytes, access)
    }

    /// Puts a file in its place, whatever was there, durably, by way of a file `unfinished` in the same
    /// folder. For callers who hold a lock: what a crash leaves has a name that they know, and the next
    /// write replaces it. Two who did this at the same time would mix their files.
    ///
    /// # Errors
    /// The place is as it was, and nothing is left beside it. Only after [`Error::Sync`] of the folder
    /// the new file is there, and it is not known for how long.
    pub fn write_atomic_by(
        &self,
        path: impl AsRef<Path>,
        unfinished: impl AsRef<OsStr>,
        bytes: &[u8],
        access: Access,
    ) -> Result<(), Error> {
        let (folder, name) = self.folder_of(path.as_ref())?;
        folder.remove_file(Path::new(&unfinished))?;
        folder.replace(name, unfinished.as_ref(), bytes, access)
    }

    /// Puts a link in its place, whatever was there, durably. Where it leads is not looked at.
    ///
    /// # Errors
    /// The place is as it was, except after [`Error::Sync`] of the folder.
    pub fn link_atomic(
        &self,
        path: impl AsRef<Path>,
        target: impl AsRef<Path>,
    ) -> Result<(), Error> {
        let path = path.as_ref();
        let (folder, name) = self.folder_of(path)?;
        let unfinished = unfinished_name(name).map_err(|source| self.io("write", path, source))?;
        rustix::fs::symlinkat(target.as_ref(), &folder, &unfinished)
            .map_err(|errno| folder.unchanged("create", Path::new(&unfinished), errno))?;
        let draft = Draft { folder: &folder, name: &unfinished, is_kept: false };
        folder.put(draft, name)
    }

    fn replace(
        &self,
        name: &OsStr,
        unfinished: &OsStr,
        bytes: &[u8],
        access: Access,
    ) -> Result<(), Error> {
        let (draft, _) = Draft::write(self, unfinished, bytes, access)?;
        self.put(draft, name)
    }

    /// Gives a draft its name, in the place of what had it.
    fn put(&self, draft: Draft<'_>, name: &OsStr) -> Result<(), Error> {
        rustix::fs::renameat(self, draft.name, self, name)
            .map_err(|errno| self.unchanged("replace", Path::new(name), errno))?;
        draft.keep();
        self.sync()
    }
}

/// A random name for an unfinished file.
pub(crate) fn unfinished_name(name: &OsStr) -> io::Result<OsString> {
    let mut random = [0; 8];
    getrandom::fill(&mut random).map_err(io::Error::other)?;
    // A name has 255 bytes at most.
    let name = if name.len() <= 200 { name } else { OsStr::new("") };
    let is_hidden = name.as_bytes().starts_with(b".");
    let mut unfinished = OsString::from(if is_hidden { "" } else { "." });
    unfinished.push(name);
    unfinished.push(format!(".{:016x}.new", u64::from_le_bytes(random)));
    Ok(unfinished)
}

/// A file that is whole and synced, and has not got its name yet. It is removed unless it is kept.
pub(crate) struct Draft<'a> {
    folder: &'a Root,
    name: &'a OsStr,
    is_kept: bool,
}

impl<'a> Draft<'a> {
    pub(crate) fn write(
        folder: &'a Root,
        name: &'a OsStr,
        bytes: &[u8],
        access: Access,
    ) -> Result<(Self, File), Error> {
        if !is_name(name) {
            let path = Path::new(name).to_owned();
            return Err(Error::BadPath { path, why: BadPath::Nameless });
        }
        let file = folder.create_new(name, access)?;
        let draft = Self { folder, name, is_kept: false };
        fill(&file, bytes, &folder.path().join(name))?;
        Ok((draft, file))
    }

    /// It has another name now, and this one is gone.
    pub(crate) fn keep(mut self) {
        self.is_kept = true;
    }
}

impl Drop for Draft<'_> {
    fn drop(&mut self) {
        if !self.is_kept {
            // What went wrong before is what the caller is told.
            let _ = rustix::fs::unlinkat(self.folder, self.name, AtFlags::empty());
        }
    }
}

/// Writes a new file, and makes its content durable.
pub(crate) fn fill(mut file: &File, bytes: &[u8], path: &Path) -> Result<(), Error> {
    let failed = |source| Error::Io { doing: "write", path: path.to_owned(), source };
    file.write_all(bytes).map_err(failed)?;
    sync_file(file, path)
}
