//! Whole snapshots on a real disk. What a workspace is, is found out by the standard library alone.

mod compare;
mod damage;
mod hostile;
mod lay;
mod property;
mod take;

use std::{
    collections::BTreeMap,
    ffi::OsStr,
    fs::{self, Permissions},
    os::unix::{
        ffi::OsStrExt,
        fs::{FileTypeExt, PermissionsExt, symlink},
    },
    path::{Path, PathBuf},
    thread,
};

use super::{Snapshots, Taken};

/// The folder of a job with a workspace, and beside it a folder that nothing may reach.
struct Place {
    folder: tempfile::TempDir,
}

const SECRET: &str = "the secret of another folder";

impl Place {
    fn new() -> Self {
        let place = Self { folder: tempfile::tempdir().unwrap() };
        fs::create_dir_all(place.workspace()).unwrap();
        fs::create_dir_all(place.outside().join("below")).unwrap();
        fs::write(place.outside().join("file"), SECRET).unwrap();
        fs::write(place.outside().join("below/file"), SECRET).unwrap();
        place
    }

    fn job(&self) -> PathBuf {
        self.folder.path().join("job")
    }

    fn workspace(&self) -> PathBuf {
        self.job().join("workspace")
    }

    fn outside(&self) -> PathBuf {
        self.folder.path().join("outside")
    }

    fn snapshots(&self) -> Snapshots {
        Snapshots::open(&self.job()).unwrap()
    }

    fn take(&self) -> Taken {
        self.snapshots().take(&self.workspace()).unwrap()
    }

    /// Takes until nothing has to be read: what was changed just now is read once more.
    fn take_until_known(&self) -> Taken {
        for _ in 0..10_000 {
            let taken = self.take();
            if taken.read == 0 {
                return taken;
            }
        }
        panic!("an unchanged workspace is read again and again");
    }

    fn lay(&self, taken: &Taken) {
        self.snapshots().lay(&taken.id, &self.workspace()).unwrap();
    }

    fn at(&self, path: impl AsRef<OsStr>) -> PathBuf {
        self.workspace().join(Path::new(path.as_ref()))
    }

    fn file(&self, path: &str, bytes: impl AsRef<[u8]>) {
        fs::create_dir_all(self.at(path).parent().unwrap()).unwrap();
        fs::write(self.at(path), bytes).unwrap();
    }

    fn folder(&self, path: &str) {
        fs::create_dir_all(self.at(path)).unwrap();
    }

    fn link(&self, path: &str, target: &str) {
        symlink(target, self.at(path)).unwrap();
    }

    fn pipe(&self, path: &str) {
        rustix::fs::mkfifoat(rustix::fs::CWD, self.at(path), rustix::fs::Mode::RUSR).unwrap();
    }

    fn mode(&self, path: &str, mode: u32) {
        fs::set_permissions(self.at(path), Permissions::from_mode(mode)).unwrap();
    }

    /// A workspace with some of everything.
    fn furnish(&self) {
        self.file("src/main.rs", "fn main() {}\n");
        self.file("src/deep/er/file", "deep\n");
        self.file(".gitignore", "target\n");
        self.file(".git/HEAD", "ref: refs/heads/main\n");
        self.file("vendor/.git/HEAD", "nested\n");
        self.file("target/binary", [0, 1, 2, 255]);
        self.file("empty", "");
        self.folder("empty-folder/empty");
        self.link("link", "src/main.rs");
        self.link("out", "../../outside/file");
        self.link("away", "../../outside");
        self.link("dangling", "/none/at/all");
        self.link("loop", "loop");
        self.file("run", "#!/bin/sh\n");
        self.mode("run", 0o755);
        fs::write(self.at(OsStr::from_bytes(b"\xff")), "odd").unwrap();
        fs::write(self.at("\\xff"), "looks odd").unwrap();
        fs::write(self.at("line\nbreak"), "").unwrap();
    }

    fn listing(&self) -> Listing {
        listing(&self.workspace())
    }

    fn assert_outside_is_untouched(&self) {
        assert_eq!(fs::read_to_string(self.outside().join("file")).unwrap(), SECRET);
        assert_eq!(fs::read_to_string(self.outside().join("below/file")).unwrap(), SECRET);
        assert_eq!(listing(&self.outside()).len(), 3);
    }
}

impl Drop for Place {
    /// What a test closed is opened, so that it can be removed.
    fn drop(&mut self) {
        open_up(self.folder.path());
    }
}

fn open_up(folder: &Path) {
    let _ = fs::set_permissions(folder, Permissions::from_mode(0o700));
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
            open_up(&entry.path());
        }
    }
}

/// All that a snapshot keeps, by path: what it is with its rights, and its bytes.
type Listing = BTreeMap<PathBuf, (String, Vec<u8>)>;

fn listing(folder: &Path) -> Listing {
    let mut found = Listing::new();
    list(folder, Path::new(""), &mut found);
    found
}

fn list(folder: &Path, below: &Path, found: &mut Listing) {
    for entry in fs::read_dir(folder).unwrap() {
        let entry = entry.unwrap();
        let (at, path) = (entry.path(), below.join(entry.file_name()));
        let about = fs::symlink_metadata(&at).unwrap();
        let (kind, mode) = (about.file_type(), about.permissions().mode() & 0o7777);
        // A plain user cannot look into what is closed.
        let is_closed =
            kind.is_dir() && mode & 0o500 != 0o500 || kind.is_file() && mode & 0o400 == 0;
        if is_closed {
            fs::set_permissions(&at, Permissions::from_mode(mode | 0o700)).unwrap();
        }
        let told = if kind.is_symlink() {
            ("link".to_owned(), fs::read_link(&at).unwrap().as_os_str().as_bytes().to_vec())
        } else if kind.is_dir() {
            list(&at, &path, found);
            (format!("folder {mode:o}"), Vec::new())
        } else if kind.is_file() {
            (format!("file {mode:o}"), fs::read(&at).unwrap())
        } else {
            assert!(kind.is_fifo() || kind.is_socket());
            ("other".to_owned(), Vec::new())
        };
        if is_closed {
            fs::set_permissions(&at, Permissions::from_mode(mode)).unwrap();
        }
        found.insert(path, told);
    }
}

/// Runs it in a thread for which rights count, also if root runs the tests.
fn as_a_plain_user<T: Send + 'static>(run: impl FnOnce() -> T + Send + 'static) -> T {
    let ran = thread::spawn(|| {
        #[cfg(target_os = "linux")]
        {
            use rustix::thread::{CapabilitySet, capabilities, set_capabilities};
            let mut sets = capabilities(None).unwrap();
            sets.effective -= CapabilitySet::DAC_OVERRIDE | CapabilitySet::DAC_READ_SEARCH;
            set_capabilities(None, sets).unwrap();
        }
        run()
    });
    ran.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
}
