//! Another process that does one thing: this test program again, told by the environment what to do.

use std::{
    env,
    fs::{self, File, OpenOptions},
    io::{self, Read, Write},
    os::unix::process::ExitStatusExt,
    path::Path,
    process::{Command, ExitStatus, Stdio},
    thread,
};

use rustix::fs::{AtFlags, CWD, Mode, OFlags, RenameFlags};

use crate::{Access, Error, Lock, Root};

const DO: &str = "CONSIGN_FILES_TEST_DO";
const IN: &str = "CONSIGN_FILES_TEST_IN";
const TEST: &str = "tests::child::what_another_process_does";

/// How many calls of each kind a process makes before the one thing. `strace` counts the calls of each
/// thread by itself, and the thread of the test harness makes fewer: so a number above this is a call of
/// the one thing.
pub(super) const WARM: usize = 150;

/// What is in the file before.
pub(super) const OLD: &[u8] = b"the old content";

/// What is put into it.
fn new_content() -> Vec<u8> {
    b"the new content, which is longer ".repeat(5_000)
}

/// What is found in the file after.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Found {
    Nothing,
    Old,
    New,
    /// Never.
    Half,
}

impl Found {
    pub(super) fn at(path: &Path) -> Self {
        match fs::read(path) {
            Err(_) => Self::Nothing,
            Ok(bytes) if bytes == OLD => Self::Old,
            Ok(bytes) if bytes == new_content() => Self::New,
            Ok(_) => Self::Half,
        }
    }
}

/// How the one thing ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Ended {
    Done,
    Exists,
    Unsynced,
    Failed,
    Killed,
}

impl Ended {
    fn code(done: &Result<(), Error>) -> i32 {
        match done {
            Ok(()) => 70,
            Err(Error::AlreadyExists { .. }) => 71,
            Err(Error::Sync { .. }) => 72,
            Err(_) => 73,
        }
    }

    pub(super) fn of(status: ExitStatus) -> Self {
        match (status.code(), status.signal()) {
            (Some(70), _) => Self::Done,
            (Some(71), _) => Self::Exists,
            (Some(72), _) => Self::Unsynced,
            (Some(73), _) => Self::Failed,
            (_, Some(9)) => Self::Killed,
            _ => panic!("it did something else: {status:?}"),
        }
    }
}

/// The process, with words before it.
pub(super) fn command(before: &[&str], what: &str, folder: &Path) -> Command {
    let this = env::current_exe().unwrap();
    let mut command = match before {
        [] => Command::new(this),
        [program, words @ ..] => {
            let mut command = Command::new(program);
            command.args(words).arg(this);
            command
        }
    };
    command.args([TEST, "--exact", "--nocapture", "--test-threads=1"]);
    // It needs no library but the system's, and looking for them elsewhere are calls too.
    command.env_remove("LD_LIBRARY_PATH");
    command.env(DO, what).env(IN, folder).stdout(Stdio::null()).stderr(Stdio::null());
    command
}

/// The words that put a process under `strace` with these options.
pub(super) fn traced<'a>(options: &[&'a str]) -> Vec<&'a str> {
    let found = Command::new("strace").arg("-V").stdout(Stdio::null()).status();
    assert!(found.is_ok_and(|status| status.success()), "these tests need the program strace");
    let quiet = ["strace", "-f", "-qq", "-o", "/dev/null"];
    quiet.into_iter().chain(options.iter().copied()).collect()
}

#[test]
fn what_another_process_does() {
    let (Ok(what), Some(folder)) = (env::var(DO), env::var_os(IN)) else { return };
    let root = Root::open(Path::new(&folder)).unwrap();
    let warm = Warm::new();
    // A thread of its own, so that it begins to count here.
    let done = thread::scope(|scope| {
        scope
            .spawn(|| {
                warm.up();
                match what.as_str() {
                    "write" => root.write_atomic("file", &new_content(), Access::Private),
                    "write by" => {
                        root.write_atomic_by("file", "file.new", &new_content(), Access::Private)
                    }
                    "once" => root.create_once("file", &new_content(), Access::Private).map(drop),
                    "everything" => everything(&root),
                    "hold" => hold(&root),
                    "closed umask" => closed_umask(&root),
                    _ => panic!("{what}"),
                }
            })
            .join()
            .unwrap()
    });
    std::process::exit(Ended::code(&done));
}

/// What the calls before the one thing are made with.
struct Warm {
    nothing: File,
    file: File,
    folder: File,
    empty: Root,
    _folder: tempfile::TempDir,
}

impl Warm {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        Self {
            nothing: OpenOptions::new().write(true).open("/dev/null").unwrap(),
            file: tempfile::tempfile().unwrap(),
            empty: Root::open(folder.path()).unwrap(),
            folder: File::open(folder.path()).unwrap(),
            _folder: folder,
        }
    }

    /// Exactly so many of each.
    fn up(&self) {
        let dir = &self.folder;
        for _ in 0..WARM {
            (&self.nothing).write_all(b"x").unwrap();
            assert!(rustix::fs::fsync(&self.nothing).is_err());
            rustix::fs::fchmod(&self.file, Mode::RUSR | Mode::WUSR).unwrap();
            assert!(rustix::fs::renameat(dir, "a", dir, "b").is_err());
            assert!(rustix::fs::renameat_with(dir, "a", dir, "b", RenameFlags::NOREPLACE).is_err());
            assert!(rustix::fs::linkat(dir, "a", dir, "b", AtFlags::empty()).is_err());
            assert!(rustix::fs::unlinkat(dir, "a", AtFlags::empty()).is_err());
            assert!(rustix::fs::openat(CWD, "/none/none", OFlags::RDONLY, Mode::empty()).is_err());
            assert!(self.empty.open_file("none").is_err());
        }
    }
}

fn everything(root: &Root) -> Result<(), Error> {
    root.create_dir_all("a/b", 0o700)?;
    root.write_atomic("a/b/file", b"inside", Access::Private)?;
    root.create_once("a/once", b"inside", Access::Private)?;
    let read = root.read("a/b/file", 100)?;
    assert_eq!(read, b"inside");
    assert!(matches!(root.read("out/f", 100), Err(Error::Link { .. })));
    assert!(matches!(root.write_atomic("out/f", b"", Access::Private), Err(Error::Link { .. })));
    Ok(())
}

fn hold(root: &Root) -> Result<(), Error> {
    let lock = Lock::try_file(&root.path().join("lock"), Access::Private)?.expect("it is free");
    let mut folder = root.try_lock()?.into_iter().map(drop);
    assert!(folder.next().is_some(), "the folder has a lock of its own");
    root.write_atomic("held", b"", Access::Private)?;
    io::stdin().read_exact(&mut [0]).unwrap();
    drop(lock);
    Ok(())
}

fn closed_umask(root: &Root) -> Result<(), Error> {
    rustix::process::umask(Mode::from_raw_mode(0o777));
    root.write_atomic("private", b"", Access::Private)?;
    root.create_once("once", b"", Access::Private)?;
    root.create_new("new", Access::Private)?;
    rustix::process::umask(Mode::from_raw_mode(0o027));
    root.write_atomic("shared", b"", Access::Shared(0o666))?;
    root.create_once("program", b"", Access::Shared(0o777))?;
    Ok(())
}
