//! The contents of files, each once, by their digest.
//!
//! [`Objects::store`] writes a new content under a name that means nothing; [`Objects::settle`] makes all of them
//! durable and then gives them their names. So an object that has its name is whole, also after a power cut.

use std::{
    collections::HashSet,
    fs::File,
    io::{self, Read, Seek, Write},
    path::{Path, PathBuf},
};

use consign_files::{Access, Kind, Root};
use sha2::{Digest as _, Sha256};

use super::{
    super::{Error, name},
    digest::{CHUNK, Digest},
};

const UNFINISHED: &str = "unfinished";
const LEVEL: i32 = 3;
/// More than these are made durable together with all else on the file system: it takes less time.
const FEW: usize = 32;
/// So many are settled at a time.
const MANY: usize = 8192;

pub(super) struct Objects<'a> {
    store: &'a Root,
    /// What is written and has not got its name yet.
    unsettled: HashSet<Digest>,
    pub(super) stored: u64,
}

/// What became of reading a file.
pub(super) enum Stored {
    As {
        digest: Digest,
        bytes: u64,
    },
    /// There is more than was allowed.
    TooLarge,
}

impl<'a> Objects<'a> {
    pub(super) fn new(store: &'a Root) -> Self {
        Self { store, unsettled: HashSet::new(), stored: 0 }
    }

    /// Removes what an earlier process did not finish. The caller has the lock.
    pub(super) fn tidy(&self) -> Result<(), Error> {
        let folder = self.store.open_dir(UNFINISHED)?;
        let left: Vec<_> = folder.entries()?.collect::<Result<_, _>>()?;
        for entry in left {
            folder.remove_file(&entry.name)?;
        }
        Ok(())
    }

    pub(super) fn has(&self, digest: &Digest) -> Result<bool, Error> {
        if self.unsettled.contains(digest) {
            return Ok(true);
        }
        match self.store.metadata(place(digest)) {
            Ok(about) => Ok(about.kind == Kind::File),
            Err(error) if error.is_missing() => Ok(false),
            Err(error) => Err(error.into()),
        }
    }

    /// Keeps the content of a file, unless it has more than `most` bytes. `path` is what an error calls it.
    ///
    /// A new content is read twice: to learn whether it is new, and to keep it. If it changed in between, the second
    /// time counts.
    pub(super) fn store(
        &mut self,
        file: &mut File,
        most: u64,
        path: &Path,
    ) -> Result<Stored, Error> {
        let (digest, bytes) = Digest::read(&mut *file, most).map_err(Error::io("read", path))?;
        if bytes > most {
            return Ok(Stored::TooLarge);
        }
        if self.has(&digest)? {
            return Ok(Stored::As { digest, bytes });
        }
        file.rewind().map_err(Error::io("read", path))?;
        // One at a time is being written, and what has a digest never has this name.
        let draft = format!("{UNFINISHED}/new");
        self.store.remove_file(&draft)?;
        let (digest, bytes) = self.compress(file, &draft, most, path)?;
        if bytes > most || self.has(&digest)? {
            self.store.remove_file(&draft)?;
            return Ok(if bytes > most { Stored::TooLarge } else { Stored::As { digest, bytes } });
        }
        self.store.rename(&draft, format!("{UNFINISHED}/{digest}"))?;
        self.unsettled.insert(digest);
        self.stored += 1;
        if self.unsettled.len() >= MANY {
            self.settle()?;
        }
        Ok(Stored::As { digest, bytes })
    }

    fn compress(
        &self,
        from: &mut File,
        draft: &str,
        most: u64,
        path: &Path,
    ) -> Result<(Digest, u64), Error> {
        let whole = self.store.path().join(draft);
        let to = self.store.create_new(draft, Access::Private)?;
        let mut to = zstd::Encoder::new(to, LEVEL).map_err(Error::io("write", &whole))?;
        let mut hasher = Sha256::new();
        let from = from.take(most.saturating_add(1));
        let bytes = pump(from, Error::io("read", path), |chunk| {
            hasher.update(chunk);
            to.write_all(chunk).map_err(Error::io("write", &whole))
        })?;
        to.finish().map_err(Error::io("write", &whole))?;
        Ok((Digest::end(hasher), bytes))
    }

    /// Makes durable what was stored, and gives it its name.
    pub(super) fn settle(&mut self) -> Result<(), Error> {
        if self.unsettled.is_empty() {
            return Ok(());
        }
        let are_few = self.unsettled.len() <= FEW;
        if are_few {
            for digest in &self.unsettled {
                let path = format!("{UNFINISHED}/{digest}");
                let file = self.store.open_file(&path)?;
                consign_files::sync_file(&file, &self.store.path().join(path))?;
            }
        } else {
            self.store.sync_everything()?;
        }
        let mut folders = HashSet::new();
        for digest in &self.unsettled {
            let (from, to) = (format!("{UNFINISHED}/{digest}"), place(digest));
            let folder = to.parent().unwrap_or(Path::new("")).to_owned();
            if !folders.contains(&folder) {
                self.store.create_dir_all(&folder, 0o700)?;
            }
            self.store.rename(from, to)?;
            folders.insert(folder);
        }
        if are_few {
            for folder in &folders {
                self.store.open_dir(folder)?.sync()?;
            }
            self.store.open_dir("objects")?.sync()?;
        } else {
            self.store.sync_everything()?;
        }
        self.unsettled.clear();
        Ok(())
    }

    /// Writes a content of so many bytes, and answers that it is the right one only after all of it is written: what
    /// was written before an error is not to be used. `path` is whose content it is.
    pub(super) fn copy(
        &self,
        digest: &Digest,
        bytes: u64,
        path: &Path,
        write: impl FnMut(&[u8]) -> Result<(), Error>,
    ) -> Result<(), Error> {
        let damaged = |why| {
            let (path, digest) = (name::written(path), digest.to_string());
            Error::Damaged { path, digest, why }
        };
        let object = match self.store.open_file(place(digest)) {
            Ok(object) => object,
            Err(error) if error.is_missing() => return Err(damaged("is gone")),
            Err(error) => return Err(error.into()),
        };
        let plain = zstd::Decoder::new(object).map_err(|_| damaged("is damaged"))?;
        let (mut hasher, mut write) = (Sha256::new(), write);
        let read = pump(
            plain.take(bytes.saturating_add(1)),
            |_| damaged("is damaged"),
            |chunk| {
                hasher.update(chunk);
                write(chunk)
            },
        )?;
        if read == bytes && Digest::end(hasher) == *digest {
            Ok(())
        } else {
            Err(damaged("is damaged"))
        }
    }

    /// A whole content.
    pub(super) fn read(&self, digest: &Digest, bytes: u64, path: &Path) -> Result<Vec<u8>, Error> {
        let mut whole = Vec::new();
        self.copy(digest, bytes, path, |chunk| {
            whole.extend_from_slice(chunk);
            Ok(())
        })?;
        Ok(whole)
    }
}

fn place(digest: &Digest) -> PathBuf {
    let text = digest.to_string();
    let (folder, name) = text.split_at(2);
    Path::new("objects").join(folder).join(name)
}

/// Reads all there is, piece by piece, and says how many bytes that was.
fn pump(
    mut from: impl Read,
    unread: impl FnOnce(io::Error) -> Error,
    mut to: impl FnMut(&[u8]) -> Result<(), Error>,
) -> Result<u64, Error> {
    let (mut chunk, mut bytes) = (vec![0; CHUNK], 0);
    loop {
        match from.read(&mut chunk) {
            Ok(0) => return Ok(bytes),
            Ok(read) => {
                to(&chunk[..read])?;
                bytes += read as u64;
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(unread(error)),
        }
    }
}
