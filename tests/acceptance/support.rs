//! Runs the binary and gives back what its user would see.
//!
//! Nothing here knows the crates behind the binary: what a test can see, a user can see.

use std::{
    ffi::OsStr,
    io::Write,
    path::{Path, PathBuf},
    process::{Command, Stdio},
    thread,
};

use tempfile::TempDir;

use crate::harness;
pub(crate) use crate::harness::{Outcome, keys, plain, text};

/// One run of `consign`.
pub(crate) struct Consign {
    command: Command,
    stdin: Vec<u8>,
}

impl Consign {
    /// Runs in a pipe, with nothing on standard input and no settings from outside.
    pub(crate) fn new<A: AsRef<OsStr>>(args: impl IntoIterator<Item = A>) -> Self {
        Self { command: harness::consign([""; 0], args), stdin: Vec::new() }
    }

    /// Another program, which may run ours.
    pub(crate) fn of<A: AsRef<OsStr>>(program: &str, args: impl IntoIterator<Item = A>) -> Self {
        let mut command = Command::new(program);
        command.args(args);
        harness::plain(&mut command);
        Self { command, stdin: Vec::new() }
    }

    pub(crate) fn stdin(mut self, bytes: impl Into<Vec<u8>>) -> Self {
        self.stdin = bytes.into();
        self
    }

    pub(crate) fn env(mut self, key: &str, value: impl AsRef<OsStr>) -> Self {
        self.command.env(key, value);
        self
    }

    pub(crate) fn folder(mut self, folder: &Path) -> Self {
        self.command.current_dir(folder);
        self
    }

    pub(crate) fn run(mut self) -> Outcome {
        self.command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = self.command.spawn().expect("the binary starts");
        let mut stdin = child.stdin.take().expect("standard input is a pipe");
        let bytes = self.stdin;
        // A command may end without reading all of it, which is for the command to decide.
        let writer = thread::spawn(move || drop(stdin.write_all(&bytes)));
        let output = child.wait_with_output().expect("the binary ends");
        writer.join().expect("writing does not panic");
        Outcome::of(output)
    }

    /// The command, to be started in some other way.
    pub(crate) fn into_command(self) -> Command {
        self.command
    }
}

/// `consign ARGS`, in a pipe.
pub(crate) fn consign<A: AsRef<OsStr>>(args: impl IntoIterator<Item = A>) -> Outcome {
    Consign::new(args).run()
}

/// A folder with files in it, gone at the end of the test.
pub(crate) struct Folder(TempDir);

impl Folder {
    pub(crate) fn new() -> Self {
        Self(TempDir::new().expect("a temporary folder can be made"))
    }

    pub(crate) fn path(&self) -> &Path {
        self.0.path()
    }

    /// Writes a file and gives its path.
    pub(crate) fn file(&self, name: &str, content: impl AsRef<[u8]>) -> String {
        let path = self.path().join(name);
        std::fs::write(&path, content).expect("a temporary folder can be written");
        path.into_os_string().into_string().expect("temporary folders have plain names")
    }

    /// What lies in it.
    pub(crate) fn names(&self) -> Vec<String> {
        let listing = std::fs::read_dir(self.path()).expect("a temporary folder can be listed");
        let name = |entry: std::io::Result<std::fs::DirEntry>| {
            entry.expect("an entry can be read").file_name().to_string_lossy().into_owned()
        };
        listing.map(name).collect()
    }
}

/// The root of the repository.
pub(crate) fn root() -> PathBuf {
    let cli = Path::new(env!("CARGO_MANIFEST_DIR"));
    cli.ancestors().nth(2).expect("the crate is two folders down").to_owned()
}
