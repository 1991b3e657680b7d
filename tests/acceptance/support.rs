//! Runs the binary and gives back what its user would see.
//!
//! Nothing here knows the crates behind the binary: what a test can see, a user can see.

use std::{
    ffi::OsStr,
    io::Write,
    path::{Path, PathBuf},
    process::{Command, Output, Stdio},
    thread,
};

use serde_json::Value;
use tempfile::TempDir;

/// One run of `consign`.
pub(crate) struct Consign {
    command: Command,
    stdin: Vec<u8>,
}

impl Consign {
    /// Runs in a pipe, with nothing on standard input and no settings from outside.
    pub(crate) fn new<A: AsRef<OsStr>>(args: impl IntoIterator<Item = A>) -> Self {
        Self::of(env!("CARGO_BIN_EXE_consign"), args)
    }

    /// Another program, which may run ours.
    pub(crate) fn of<A: AsRef<OsStr>>(program: &str, args: impl IntoIterator<Item = A>) -> Self {
        let mut command = Command::new(program);
        command.args(args);
        plain(&mut command);
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

/// What a run left behind.
#[derive(Debug)]
pub(crate) struct Outcome {
    /// `None` where a signal ended it.
    pub(crate) code: Option<i32>,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl Outcome {
    pub(crate) fn of(output: Output) -> Self {
        let text = |bytes| String::from_utf8(bytes).expect("what we print is UTF-8");
        Self {
            code: output.status.code(),
            stdout: text(output.stdout),
            stderr: text(output.stderr),
        }
    }

    /// Demands this exit code, and shows everything where it is another.
    #[track_caller]
    pub(crate) fn exits(self, code: i32) -> Self {
        assert_eq!(self.code, Some(code), "{self:#?}");
        self
    }

    /// Demands an error: its code on standard error, nothing on standard output.
    #[track_caller]
    pub(crate) fn fails(self, exit: i32, code: &str) -> Self {
        let this = self.exits(exit).naming(code);
        assert_eq!(this.stdout, "");
        this
    }

    /// Demands this error first on standard error, whatever there is on standard output.
    #[track_caller]
    pub(crate) fn naming(self, code: &str) -> Self {
        assert!(self.names(code), "not {code}: {self:#?}");
        self
    }

    /// Whether standard error begins with this error, in words or as an object.
    #[must_use]
    pub(crate) fn names(&self, code: &str) -> bool {
        self.stderr.starts_with(&format!("error[{code}]: "))
            || self.stderr.starts_with(&format!("{{\"error\":{{\"code\":\"{code}\","))
    }

    /// The error of a command that was given `--json`: all that is on standard error.
    #[track_caller]
    pub(crate) fn error(&self) -> Value {
        let told: Value = serde_json::from_str(&self.stderr)
            .unwrap_or_else(|_| panic!("not a JSON value on standard error: {self:#?}"));
        assert_eq!((keys(&told), self.stderr.lines().count()), (vec!["error"], 1), "{self:#?}");
        let error = told["error"].clone();
        let known = ["code", "details", "hint", "message"];
        assert!(keys(&error).iter().all(|key| known.contains(key)), "{self:#?}");
        assert!(!text(&error, "code").is_empty() && !text(&error, "message").is_empty());
        error
    }

    /// Demands words on standard error.
    #[track_caller]
    pub(crate) fn telling(self, words: &str) -> Self {
        assert!(self.stderr.contains(words), "{words:?} is not said: {self:#?}");
        self
    }

    /// The one JSON object that was printed.
    #[track_caller]
    pub(crate) fn json(&self) -> Value {
        let mut lines = self.json_lines();
        assert_eq!(lines.len(), 1, "{self:#?}");
        lines.remove(0)
    }

    /// The JSON objects that were printed, one to a line.
    #[track_caller]
    pub(crate) fn json_lines(&self) -> Vec<Value> {
        let parse = |line| match serde_json::from_str::<Value>(line) {
            Ok(value) if value.is_object() => value,
            Ok(_) | Err(_) => panic!("not a JSON object: {line:?} in {self:#?}"),
        };
        self.stdout.lines().map(parse).collect()
    }
}

/// The names of an object's members, in the order of the alphabet.
#[track_caller]
pub(crate) fn keys(value: &Value) -> Vec<&str> {
    let object = value.as_object().unwrap_or_else(|| panic!("not an object: {value}"));
    let mut keys: Vec<_> = object.keys().map(String::as_str).collect();
    keys.sort_unstable();
    keys
}

/// The text of a member.
#[track_caller]
pub(crate) fn text<'v>(value: &'v Value, key: &str) -> &'v str {
    value[key].as_str().unwrap_or_else(|| panic!("{key} is not text in {value}"))
}

/// Without what would change colours or places in the environment of whoever runs the tests, and
/// without their keys: no test reaches a real provider.
pub(crate) fn plain(command: &mut Command) {
    for name in ["NO_COLOR", "CLICOLOR", "CLICOLOR_FORCE", "CI", "COLUMNS", "CONSIGN_HOME"] {
        command.env_remove(name);
    }
    let outside = std::env::vars_os().map(|(name, _)| name);
    for name in outside.filter(|name| is_of_providers(&name.to_string_lossy())) {
        command.env_remove(name);
    }
}

/// Whether a variable may say where a provider is, what its key is, or how keys are sealed.
fn is_of_providers(name: &str) -> bool {
    name.ends_with("_BASE_URL")
        || name.ends_with("_API_KEY")
        || name.starts_with("AI_KEY_ENCRYPTION_KEY")
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
