//! Where copies go: a folder of the caller's, below the home.

use std::{
    fs::File,
    io::{self, Write},
    path::{Path, PathBuf},
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
};

use consign_files::{Access, Kind, Root, sync_file, trusted};
use sha2::{Digest, Sha256};

use crate::{Error, error::Limit, text};

/// A folder for the copies of one run. It belongs to one session at a time.
///
/// A copy has its name only when it is whole: `a1b2…-c3d4….pdf`, made from the identifier and the checksum, so
/// that fetching the same again after a crash replaces it by itself. Before it is recorded that a copy is there,
/// [`sync`](Self::sync) makes it durable.
#[derive(Clone, Debug)]
pub struct Destination {
    root: Arc<Root>,
}

/// The ending of copies that are not finished.
const UNFINISHED: &str = ".part";
/// Tells the unfinished copies of this process apart.
static NUMBER: AtomicU64 = AtomicU64::new(0);

impl Destination {
    /// Opens the folder, and makes it if it is not there. What a crash left unfinished in it is removed.
    ///
    /// # Errors
    /// [`Code::Home`](crate::Code::Home).
    pub fn open(folder: &Path) -> Result<Self, Error> {
        trusted::create_folders(folder, 0o700).map_err(unwritable)?;
        let root = Root::open(folder).map_err(unwritable)?;
        let left: Vec<_> = root
            .entries()
            .map_err(unwritable)?
            .filter_map(Result::ok)
            .filter(|entry| entry.kind == Kind::File)
            .filter(|entry| entry.name.to_str().is_some_and(|name| name.ends_with(UNFINISHED)))
            .collect();
        for entry in left {
            root.remove_file(&entry.name).map_err(unwritable)?;
        }
        Ok(Self { root: Arc::new(root) })
    }

    /// Makes a copy durable, and its name.
    ///
    /// # Errors
    /// [`Code::Home`](crate::Code::Home).
    pub fn sync(&self, copy: &Path) -> Result<(), Error> {
        let name = copy.file_name().unwrap_or_default();
        let file = self.root.open_file(name).map_err(unwritable)?;
        sync_file(&file, copy).map_err(unwritable)?;
        self.root.sync().map_err(unwritable)
    }

    /// Removes what was copied of a file, whole or not, and what lies beside it under its name.
    ///
    /// # Errors
    /// [`Code::Home`](crate::Code::Home).
    pub fn forget(folder: &Path, identifier: &str) -> Result<(), Error> {
        let root = Root::open(folder).map_err(unwritable)?;
        let stem = format!("{}-", stem(identifier));
        for entry in root.entries().map_err(unwritable)? {
            let entry = entry.map_err(unwritable)?;
            // What is written in one step lies under a hidden name until it is whole.
            let name = entry.name.to_str().map(|name| name.trim_start_matches('.'));
            if entry.kind == Kind::File && name.is_some_and(|name| name.starts_with(&stem)) {
                root.remove_file(&entry.name).map_err(unwritable)?;
            }
        }
        root.sync().map_err(unwritable)
    }

    /// Removes a copy that is not wanted after all.
    pub(crate) fn discard(&self, copy: &Path) -> Result<(), Error> {
        let name = copy.file_name().unwrap_or_default();
        self.root.remove_file(name).map(drop).map_err(unwritable)
    }

    /// Where it is.
    #[must_use]
    pub fn path(&self) -> &Path {
        self.root.path()
    }

    /// Begins a copy of at most so many bytes.
    pub(crate) fn draft(&self, identifier: &str, most: u64) -> Result<Draft, Error> {
        let stem = stem(identifier);
        // Whoever gives up waiting for a copy may begin it again while the first one is still being written.
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let unfinished = format!("{stem}-{number}{UNFINISHED}");
        let file = self.root.create_new(&unfinished, Access::Private).map_err(unwritable)?;
        let root = self.root.clone();
        Ok(Draft { root, stem, unfinished, file, sum: Sha256::new(), size: 0, most, named: false })
    }
}

/// How the names of the copies of a file begin.
fn stem(identifier: &str) -> String {
    hex::encode(&Sha256::digest(identifier.as_bytes())[..8])
}

fn unwritable(error: consign_files::Error) -> Error {
    let cause = std::error::Error::source(&error).map(|cause| format!(": {cause}"));
    Error::home(format!("the copy cannot be kept: {error}{}", cause.unwrap_or_default()))
}

/// A copy that is being written. It is removed unless it is finished.
pub(crate) struct Draft {
    root: Arc<Root>,
    stem: String,
    unfinished: String,
    file: File,
    sum: Sha256,
    size: u64,
    most: u64,
    named: bool,
}

/// A copy that has its name.
pub(crate) struct Copy {
    pub(crate) file: PathBuf,
    pub(crate) size: u64,
    pub(crate) checksum: String,
}

/// More came than may be kept.
#[derive(Debug, thiserror::Error)]
#[error("there is more than may be kept")]
pub(crate) struct TooMuch;

impl Draft {
    pub(crate) fn size(&self) -> u64 {
        self.size
    }

    /// The checksum of what was written so far.
    pub(crate) fn checksum(&self) -> String {
        hex::encode(self.sum.clone().finalize())
    }

    /// Gives the copy its name. `called` is what the source calls it: its ending is kept.
    pub(crate) fn finish(mut self, called: Option<&str>) -> Result<Copy, Error> {
        let checksum = self.checksum();
        let ending = called.and_then(text::extension).unwrap_or_default();
        let name = format!("{}-{}{ending}", self.stem, &checksum[..16]);
        self.root.rename(&self.unfinished, &name).map_err(unwritable)?;
        self.named = true;
        Ok(Copy { file: self.root.path().join(name), size: self.size, checksum })
    }
}

impl Write for Draft {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.size + bytes.len() as u64 > self.most {
            return Err(io::Error::new(io::ErrorKind::FileTooLarge, TooMuch));
        }
        self.file.write_all(bytes)?;
        self.sum.update(bytes);
        self.size += bytes.len() as u64;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Drop for Draft {
    fn drop(&mut self) {
        if !self.named {
            // What went wrong before is what the caller is told; the next session removes it too.
            let _ = self.root.remove_file(&self.unfinished);
        }
    }
}

/// What a failed write means: our limit, or our disk.
pub(crate) fn unwritten(error: &io::Error, most: u64) -> Error {
    if error.get_ref().is_some_and(|cause| cause.is::<TooMuch>()) {
        too_large(most)
    } else {
        Error::home(format!("the copy cannot be written: {error}"))
    }
}

pub(crate) fn too_large(most: u64) -> Error {
    let why =
        format!("it is larger than {most} bytes: raise `max_bytes` in [connector] to take it");
    Error::too_large(Limit::Bytes, why)
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    fn names(folder: &Path) -> Vec<String> {
        let entries = fs::read_dir(folder).unwrap();
        entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect()
    }

    #[test]
    fn a_copy_has_its_name_only_when_it_is_whole() {
        let folder = tempfile::tempdir().unwrap();
        let to = Destination::open(&folder.path().join("a/b")).unwrap();
        let mut draft = to.draft("https://a.example/x", 10).unwrap();
        draft.write_all(b"abc").unwrap();
        drop(draft);
        assert_eq!(names(to.path()), Vec::<String>::new());
        for _ in 0..2 {
            let mut draft = to.draft("https://a.example/x", 10).unwrap();
            draft.write_all(b"abc").unwrap();
            let copy = draft.finish(Some("x.PDF")).unwrap();
            assert_eq!(copy.size, 3);
            assert!(copy.checksum.starts_with("ba7816bf8f01cfea"), "{}", copy.checksum);
            assert_eq!(fs::read(&copy.file).unwrap(), b"abc");
            assert!(copy.file.to_str().unwrap().ends_with("-ba7816bf8f01cfea.pdf"));
        }
        assert_eq!(names(to.path()).len(), 1, "the second one took the place of the first");
    }

    #[test]
    fn two_copies_of_one_file_at_the_same_time_do_not_mix() {
        let folder = tempfile::tempdir().unwrap();
        let to = Destination::open(folder.path()).unwrap();
        let mut given_up = to.draft("x", 10).unwrap();
        given_up.write_all(b"abc").unwrap();
        let mut again = to.draft("x", 10).unwrap();
        again.write_all(b"ab").unwrap();
        assert_eq!(fs::read(given_up.finish(None).unwrap().file).unwrap(), b"abc");
        again.write_all(b"c").unwrap();
        assert_eq!(fs::read(again.finish(None).unwrap().file).unwrap(), b"abc");
        assert_eq!(names(folder.path()).len(), 1);
    }

    #[test]
    fn what_was_copied_of_one_file_is_forgotten_and_no_more() {
        let folder = tempfile::tempdir().unwrap();
        let to = Destination::open(folder.path()).unwrap();
        let copied = |identifier: &str| {
            let mut draft = to.draft(identifier, 10).unwrap();
            draft.write_all(b"abc").unwrap();
            draft.finish(Some("x.txt")).unwrap().file
        };
        let (goes, stays) = (copied("x"), copied("y"));
        to.sync(&goes).unwrap();
        let name = goes.file_name().unwrap().to_str().unwrap().to_owned();
        for beside in [format!("{name}.parsed"), format!(".{name}.parsed.0123456789abcdef.new")] {
            fs::write(folder.path().join(beside), "abc").unwrap();
        }
        let mut draft = to.draft("x", 10).unwrap();
        draft.write_all(b"abc").unwrap();
        std::mem::forget(draft);
        assert_eq!(names(folder.path()).len(), 5);
        Destination::forget(folder.path(), "x").unwrap();
        assert_eq!(names(folder.path()), [stays.file_name().unwrap().to_str().unwrap()]);
        assert_eq!(to.sync(&goes).unwrap_err().code, crate::Code::Home, "it is not there");
    }

    #[test]
    fn no_more_than_the_limit_is_written_and_a_crash_leaves_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let to = Destination::open(folder.path()).unwrap();
        let mut draft = to.draft("x", 4).unwrap();
        draft.write_all(b"abcd").unwrap();
        let error = draft.write_all(b"e").unwrap_err();
        assert_eq!(unwritten(&error, 4).limit, Some(Limit::Bytes));
        std::mem::forget(draft);
        assert_eq!(names(folder.path()).len(), 1, "as after a crash");
        Destination::open(folder.path()).unwrap();
        assert_eq!(names(folder.path()), Vec::<String>::new());
    }
}
