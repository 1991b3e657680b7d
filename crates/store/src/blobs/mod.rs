//! Large values as files, named by what they hold.
//!
//! A name is the BLAKE3 of the text under a secret of its owner: equal values of one owner share a
//! file, equal values of two owners have different names, and nobody can tell from a name what is
//! in the file. A file has its final name only when it is complete and durable, and never changes.
//!
//! Nothing here knows which rows name a file. Whoever [puts](Blobs::put) one names it in a row
//! afterwards, and checks at that moment that it is still [there](Blobs::has): a sweep may have
//! taken it.

mod file;
mod name;
mod sweep;

use std::{
    fs::{self, File},
    io::{self, Write as _},
    os::unix::fs::OpenOptionsExt,
    path::PathBuf,
    time::SystemTime,
};

use consign_engine::store::Error;

pub(crate) use self::name::{Name, Secret};
pub(crate) use self::sweep::Stale;
use crate::sqlite::{make_folder, of_disk, remove, sync_folder};

#[derive(Clone, Debug)]
pub(crate) struct Blobs {
    folder: PathBuf,
}

/// Values from here on are kept in files, by the length of their text.
pub(crate) const LARGE: usize = 64 * 1024;

/// The longest text that is kept: what a file may grow to when it is read.
const MOST: usize = 1 << 30;

impl Blobs {
    pub(crate) fn new(folder: PathBuf) -> Self {
        Self { folder }
    }

    /// Keeps a text. When this comes back, the file is durable.
    pub(crate) fn put(&self, secret: &Secret, text: &str) -> Result<Name, Error> {
        if text.len() > MOST {
            return Err(Error::Unavailable(format!("{} bytes are too many to keep", text.len())));
        }
        let name = Name::of(secret, text);
        let kept = if self.touch(secret, &name) { Ok(()) } else { self.write(&name, text) };
        kept.map_err(|error| of_disk("keep a large value", &error))?;
        Ok(name)
    }

    /// Makes a file that is there look new to a sweep. One that is damaged counts as missing.
    fn touch(&self, secret: &Secret, name: &Name) -> bool {
        let path = self.path(name);
        let touched = || {
            File::options().write(true).open(&path)?.set_modified(SystemTime::now())?;
            // Whoever wrote it may have died, or not come yet, between the rename and this.
            self.sync(name)
        };
        touched().is_ok() && self.get(secret, name).is_ok()
    }

    fn write(&self, name: &Name, text: &str) -> io::Result<()> {
        let path = self.path(name);
        let folder = self.folder_of(name);
        make_folder(&folder)?;
        let draft = folder.join(format!(".{}", random()?));
        let written = || {
            let mut file = File::options().write(true).create_new(true).mode(0o600).open(&draft)?;
            file.write_all(&file::pack(text)?)?;
            file.sync_all()?;
            fs::rename(&draft, &path)
        };
        if let Err(error) = written() {
            let _ = remove(&draft);
            return Err(error);
        }
        self.sync(name)
    }

    fn sync(&self, name: &Name) -> io::Result<()> {
        sync_folder(&self.folder_of(name))
    }

    pub(crate) fn has(&self, name: &Name) -> bool {
        self.path(name).exists()
    }

    /// Reads a text, and checks that it is the one that was kept.
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

fn random() -> io::Result<String> {
    let mut bytes = [0; 8];
    getrandom::fill(&mut bytes).map_err(io::Error::other)?;
    Ok(format!("{:016x}", u64::from_le_bytes(bytes)))
}
