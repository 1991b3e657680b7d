//! The file with the sealing keys. It is read only if no other user can read it, and replaced
//! atomically.
//!
//! At every instant the file is either the old one or the new one. A writer holds the
//! [lock](super::lock).

use std::{
    fs,
    io::{self, Read},
    os::unix::fs::MetadataExt,
    path::{Path, PathBuf},
};

use consign_files::{Access, Root, trusted};
use rustix::process::geteuid;
use zeroize::Zeroizing;

use super::{error::Error, ring::Ring};

const NAME: &str = "sealing.key";
/// The temporary name while writing. Only one process writes at a time, so one name is enough, and
/// what a crash leaves is found under it.
const UNFINISHED: &str = "sealing.key.new";

#[derive(Clone, Debug)]
pub(super) struct KeyFile {
    folder: PathBuf,
}

/// Longer than sixteen keys in any form, with blanks.
const LONGEST: usize = 4096;

impl KeyFile {
    pub(super) fn in_folder(folder: &Path) -> Self {
        Self { folder: folder.to_owned() }
    }

    pub(super) fn path(&self) -> PathBuf {
        self.folder.join(NAME)
    }

    fn unfinished(&self) -> PathBuf {
        self.folder.join(UNFINISHED)
    }

    /// None if there is no such file.
    pub(super) fn read(&self) -> Result<Option<Ring>, Error> {
        let path = self.path();
        // It must not be a pipe that waits for ever, nor lead to somewhere else.
        let file = match trusted::open_no_link(&path) {
            Ok(file) => file,
            Err(consign_files::Error::Missing { .. }) => return Ok(None),
            Err(consign_files::Error::Link { .. }) => {
                let told = "is a symbolic link; put the file itself there";
                return Err(refused(&path, told));
            }
            Err(consign_files::Error::NotAFile { .. }) => {
                return Err(refused(&path, "is not a file"));
            }
            Err(error) => return Err(disk("open", &path, error.into())),
        };
        let about = file.metadata().map_err(|error| disk("read the metadata of", &path, error))?;
        if let Some(told) = unsafe_to_use(&about, &path) {
            return Err(refused(&path, &told));
        }
        let mut text = Zeroizing::new(Vec::with_capacity(LONGEST + 1));
        let read = file.take(LONGEST as u64 + 1).read_to_end(&mut text);
        read.map_err(|error| disk("read", &path, error))?;
        if text.len() > LONGEST {
            return Err(refused(&path, "is too long to be a file of sealing keys"));
        }
        let form = "each line is a key of 32 bytes, as 64 hexadecimal digits or base64";
        let read = Ring::read(&text);
        read.map(Some).map_err(|why| refused(&path, &format!("{why}; {form}")))
    }

    /// Whether the path exists, as whatever.
    pub(super) fn is_there(&self) -> bool {
        fs::symlink_metadata(self.path()).is_ok()
    }

    /// Replaces the file.
    pub(super) fn write(&self, ring: &Ring) -> Result<(), Error> {
        let text = ring.write();
        let written = Root::open(&self.folder)
            .and_then(|root| root.write_atomic_by(NAME, UNFINISHED, &text, Access::Private));
        written.map_err(|error| self.unwritten(error))
    }

    fn unwritten(&self, error: consign_files::Error) -> Error {
        use consign_files::Error as Of;
        if let Of::Io { doing: doing @ ("replace" | "remove"), path, source } = error {
            let named = path.file_name().map_or(self.path(), |name| self.folder.join(name));
            return disk(doing, &named, source);
        }
        let is_file = |path: &Path| path.ends_with(UNFINISHED);
        if matches!(&error, Of::Sync { path, .. } if !is_file(path)) {
            return disk("sync", &self.folder, error.into());
        }
        disk("write", &self.unfinished(), error.into())
    }

    /// Removes the unfinished file of a process that was stopped while it wrote: it contains keys.
    pub(super) fn tidy(&self) -> Result<(), Error> {
        let removed = trusted::remove_file(&self.unfinished());
        removed.map(drop).map_err(|error| self.unwritten(error))
    }
}

/// Why others may have read or written this file, and what to do about it.
fn unsafe_to_use(about: &fs::Metadata, path: &Path) -> Option<String> {
    let (mode, ours) = (about.mode() & 0o7777, geteuid().as_raw());
    let private = [0o600, 0o400];
    match () {
        () if about.uid() != ours => Some(format!(
            "belongs to user {}, but user {ours} runs this; `chown` it, or run this as its owner",
            about.uid()
        )),
        () if !private.contains(&mode) => Some(format!(
            "can be read or changed by others (mode {mode:04o}): run `chmod 600 {}`; if they may \
             have read it, then run `consign keys rotate`",
            path.display()
        )),
        () => None,
    }
}

fn refused(path: &Path, told: &str) -> Error {
    Error::Refused(format!("the sealing key in {} cannot be used: it {told}", path.display()))
}

pub(super) fn disk(doing: &'static str, path: &Path, source: io::Error) -> Error {
    Error::Disk { doing, path: path.to_owned(), source }
}

#[cfg(test)]
mod tests {
    use std::{fs::Permissions, os::unix::fs::PermissionsExt, os::unix::fs::symlink};

    use super::*;

    fn folder() -> (tempfile::TempDir, KeyFile) {
        let folder = tempfile::tempdir().expect("a folder");
        let file = KeyFile::in_folder(folder.path());
        (folder, file)
    }

    fn told(file: &KeyFile) -> String {
        file.read().err().map(|error| error.to_string()).unwrap_or_default()
    }

    #[test]
    fn a_file_is_read_as_it_was_written_and_is_for_its_owner_only() {
        let (folder, file) = folder();
        assert!(file.read().expect("it can be missing").is_none());
        let ring = Ring::random();
        file.write(&ring).expect("it can be written");
        let read = file.read().expect("it can be read").expect("it is there");
        assert_eq!(read.newest().fingerprint(), ring.newest().fingerprint());
        let mode = fs::metadata(file.path()).expect("it is there").mode() & 0o777;
        assert_eq!(mode, 0o600);
        let names = fs::read_dir(folder.path()).expect("a folder").count();
        assert_eq!(names, 1, "nothing is left beside it");
    }

    #[test]
    fn a_file_that_others_can_use_is_refused_with_what_to_do() {
        let (_folder, file) = folder();
        file.write(&Ring::random()).expect("it can be written");
        let check = |mode, good: bool| {
            fs::set_permissions(file.path(), Permissions::from_mode(mode)).expect("it is ours");
            let told = told(&file);
            assert_eq!(told.is_empty(), good, "{mode:o}: {told}");
            assert_eq!(told.contains("chmod 600"), !good, "{mode:o}: {told}");
        };
        check(0o600, true);
        check(0o400, true);
        check(0o644, false);
        check(0o640, false);
        check(0o602, false);
        check(0o700, false);
        check(0o4600, false);
    }

    #[test]
    fn what_is_no_file_of_keys_is_refused() {
        let (folder, file) = folder();
        let other = folder.path().join("other");
        fs::write(&other, &*Ring::random().write()).expect("a file");
        fs::set_permissions(&other, Permissions::from_mode(0o600)).expect("it is ours");
        symlink(&other, file.path()).expect("a link");
        assert!(told(&file).contains("symbolic link"), "{}", told(&file));
        assert!(file.is_there());
        symlink("nowhere", folder.path().join("link")).expect("a link");
        fs::rename(folder.path().join("link"), file.path()).expect("it can be replaced");
        assert!(file.is_there() && told(&file).contains("symbolic link"), "{}", told(&file));
        fs::remove_file(file.path()).expect("it is ours");
        fs::create_dir(file.path()).expect("a folder");
        assert!(told(&file).contains("is not a file"), "{}", told(&file));
        fs::remove_dir(file.path()).expect("it is ours");
        let hunter = trusted::write_atomic(&file.path(), b"hunter2", Access::Private);
        hunter.expect("it can be written");
        let why = told(&file);
        assert!(why.contains("has no key on line 1") && !why.contains("hunter2"), "{why}");
        fs::write(file.path(), vec![b'\n'; LONGEST + 1]).expect("it is ours");
        assert!(told(&file).contains("too long"), "{}", told(&file));
    }

    #[test]
    fn what_a_crash_left_beside_it_goes_with_the_next_write() {
        let (_folder, file) = folder();
        fs::write(file.unfinished(), "half a k").expect("it can be written");
        file.write(&Ring::random()).expect("it can be written");
        assert!(!file.unfinished().exists() && file.read().is_ok());
    }
}
