//! Large values as files, named by their content.
//!
//! A name is the keyed BLAKE3 hash of the text, with a secret of the owner as the key: equal values
//! of one owner share a file, equal values of two owners have different names, and a name reveals
//! nothing about the content. A file has its final name only when it is complete and durable, and
//! never changes.
//!
//! Nothing here knows which rows name a file. A caller [puts](Blobs::put) a file first and then
//! writes the row that names it, in a transaction that checks that the file is still
//! [there](Blobs::has): a sweep may have removed it.

mod copy;
mod file;
mod name;
mod sweep;

use std::{
    collections::HashSet,
    fs::{self, File},
    io,
    path::PathBuf,
    sync::{Arc, Mutex, PoisonError},
    time::SystemTime,
};

use consign_engine::store::Error;
use consign_files::{Access, trusted};

pub(crate) use self::name::{Name, Secret};
pub(crate) use self::sweep::Stale;
use crate::sqlite::{make_folder, of_disk, sync_folder, unwritten};

#[derive(Clone, Debug)]
pub(crate) struct Blobs {
    folder: PathBuf,
    /// Folders that are known to survive a power cut.
    durable: Arc<Mutex<HashSet<PathBuf>>>,
}

/// Values with at least this many bytes of text are kept in files.
pub(crate) const LARGE: usize = 64 * 1024;

/// The longest text that is kept, and so the most that reading a file may unpack.
const MOST: usize = 1 << 30;

impl Blobs {
    pub(crate) fn new(folder: PathBuf) -> Self {
        Self { folder, durable: Arc::default() }
    }

    /// Writes a text to its file. When this returns, the file is durable.
    pub(crate) fn put(&self, secret: &Secret, text: &str) -> Result<Name, Error> {
        if text.len() > MOST {
            return Err(Error::Unavailable(format!(
                "a value of {} bytes is too large to keep",
                text.len()
            )));
        }
        let name = Name::of(secret, text);
        let kept = self.make_durable(self.folder_of(&name)).and_then(|()| {
            if self.touch(secret, &name)? { Ok(()) } else { self.write(&name, text) }
        });
        kept.map_err(|error| of_disk("keep a large value", &error))?;
        Ok(name)
    }

    /// Makes the folder of a file and syncs it. A folder that exists may have been made by a
    /// process that has not synced it, or died before it could, so each process syncs each folder
    /// once.
    fn make_durable(&self, folder: PathBuf) -> io::Result<()> {
        let durable = || self.durable.lock().unwrap_or_else(PoisonError::into_inner);
        if !folder.is_dir() {
            make_folder(&folder)?;
        } else if !durable().contains(&folder) {
            sync_folder(&self.folder)?;
        }
        durable().insert(folder);
        Ok(())
    }

    /// Renews the time of an existing file, so that a sweep keeps it, and makes it durable. Returns
    /// false if the file is missing or damaged.
    fn touch(&self, secret: &Secret, name: &Name) -> io::Result<bool> {
        let file = File::options().write(true).open(self.path(name));
        if file.and_then(|file| file.set_modified(SystemTime::now())).is_err() {
            return Ok(false);
        }
        // The process that wrote it may have died between the rename and the sync, or be there now.
        self.sync(name)?;
        Ok(self.get(secret, name).is_ok())
    }

    fn write(&self, name: &Name, text: &str) -> io::Result<()> {
        // An unfinished one begins with a dot, which a sweep knows.
        let packed = file::pack(text)?;
        trusted::write_atomic(&self.path(name), &packed, Access::Private).map_err(unwritten)
    }

    fn sync(&self, name: &Name) -> io::Result<()> {
        sync_folder(&self.folder_of(name))
    }

    /// Removes a file, if it is there. The caller has made sure that no row names it.
    pub(crate) fn remove(&self, name: &Name) -> io::Result<()> {
        crate::sqlite::remove(&self.path(name))
    }

    pub(crate) fn has(&self, name: &Name) -> bool {
        self.path(name).exists()
    }

    /// Reads a text, and checks that its content fits its name.
    pub(crate) fn get(&self, secret: &Secret, name: &Name) -> Result<String, Error> {
        let packed = match fs::read(self.path(name)) {
            Ok(packed) => packed,
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                return Err(Error::Damaged(format!("blob {name} is missing")));
            }
            Err(error) => return Err(of_disk("read a large value", &error)),
        };
        let text = file::unpack(&packed, MOST);
        let text = text.ok().filter(|text| Name::of(secret, text) == *name);
        text.ok_or_else(|| Error::Damaged(format!("blob {name} is damaged")))
    }

    fn path(&self, name: &Name) -> PathBuf {
        self.folder_of(name).join(name.to_string())
    }

    fn folder_of(&self, name: &Name) -> PathBuf {
        self.folder.join(&name.to_string()[..2])
    }
}
