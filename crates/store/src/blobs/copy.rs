//! Copies files to another folder of large values, for a back-up.

use std::{
    fs::{self, File, OpenOptions},
    io,
    os::unix::fs::OpenOptionsExt,
};

use super::{Blobs, Name};
use crate::sqlite::make_folder;

impl Blobs {
    /// Copies the file of a name to `to`, unless it is there already. Returns false if it is not here. A
    /// file never changes, so it can be copied at any time.
    ///
    /// The copy is not synced: whoever copies many syncs once.
    pub(crate) fn copy(&self, name: &Name, to: &Self) -> io::Result<bool> {
        if to.has(name) {
            return Ok(true);
        }
        let mut from = match File::open(self.path(name)) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(false),
            opened => opened?,
        };
        make_folder(&to.folder_of(name))?;
        let options = OpenOptions::new().write(true).create_new(true).mode(0o600).clone();
        io::copy(&mut from, &mut options.open(to.path(name))?)?;
        Ok(true)
    }

    /// Removes all files whose names are not wanted.
    pub(crate) fn keep_only(&self, is_wanted: impl Fn(&Name) -> bool) -> io::Result<()> {
        for folder in fs::read_dir(&self.folder)? {
            for file in fs::read_dir(folder?.path())? {
                let file = file?;
                let name = file.file_name().to_str().and_then(Name::parse);
                if !name.is_some_and(|name| is_wanted(&name)) {
                    fs::remove_file(file.path())?;
                }
            }
        }
        Ok(())
    }
}
