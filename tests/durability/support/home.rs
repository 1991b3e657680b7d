//! A data directory, and commands on it.

use std::{
    ffi::OsStr,
    path::{Path, PathBuf},
    process::Command,
    sync::atomic::{AtomicUsize, Ordering},
};

use serde_json::Value;
use tempfile::TempDir;

use super::{Outcome, Process};
use crate::harness;

/// A directory of its own for each test, on the disk that the build is on.
pub(crate) struct Home {
    folder: TempDir,
    path: PathBuf,
    /// Words before each command.
    wrapper: Vec<String>,
    started: AtomicUsize,
}

impl Home {
    pub(crate) fn new() -> Self {
        let folder = tempfile::Builder::new()
            .prefix("durability-")
            .tempdir_in(env!("CARGO_TARGET_TMPDIR"))
            .expect("a temporary folder can be made");
        let path = folder.path().join("home");
        Self { folder, path, wrapper: Vec::new(), started: AtomicUsize::new(0) }
    }

    /// From now on commands begin with these words and use this directory.
    pub(crate) fn enter(&mut self, wrapper: Vec<String>, path: PathBuf) {
        (self.wrapper, self.path) = (wrapper, path);
    }

    /// What `CONSIGN_HOME` names. The first command makes it.
    pub(crate) fn path(&self) -> PathBuf {
        self.path.clone()
    }

    pub(crate) fn database(&self) -> PathBuf {
        self.path().join("consign.db")
    }

    /// A place outside of the data directory that ends with the test.
    pub(crate) fn file(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub(crate) fn folder(&self) -> &Path {
        self.folder.path()
    }

    /// `consign ARGS`, with nothing from the environment of whoever runs the tests.
    pub(crate) fn command<A: AsRef<OsStr>>(&self, args: impl IntoIterator<Item = A>) -> Command {
        self.under(&self.wrapper, args)
    }

    /// `WRAPPER… consign ARGS`.
    pub(crate) fn under<W: AsRef<OsStr>, A: AsRef<OsStr>>(
        &self,
        wrapper: impl IntoIterator<Item = W>,
        args: impl IntoIterator<Item = A>,
    ) -> Command {
        let mut command = harness::consign(wrapper, args);
        command.env("CONSIGN_HOME", self.path());
        command
    }

    pub(crate) fn start(&self, command: Command) -> Process {
        let number = self.started.fetch_add(1, Ordering::Relaxed);
        Process::start(command, self.file(&format!("process-{number}")))
    }

    /// Runs a command to its end.
    #[track_caller]
    pub(crate) fn run<A: AsRef<OsStr>>(&self, args: impl IntoIterator<Item = A>) -> Outcome {
        self.start(self.command(args)).wait()
    }

    pub(crate) fn worker(&self) -> Process {
        self.start(self.command(["worker", "--at-once", "16"]))
    }

    /// Starts a run for the workers and gives its id.
    #[track_caller]
    pub(crate) fn detach(&self, workflow: &str, input: &Value, more: &[&str]) -> String {
        let args = args_to_start(workflow, input, more);
        let run = self.run(args.iter().map(String::as_str).chain(["--detach"])).succeeds().json();
        id(&run)
    }

    /// The run as `runs show` has it.
    #[track_caller]
    pub(crate) fn show(&self, run: &str) -> Value {
        self.run(["runs", "show", run, "--json"]).succeeds().json()
    }

    #[track_caller]
    pub(crate) fn status(&self, run: &str) -> String {
        let shown = self.show(run);
        shown["status"].as_str().unwrap_or_else(|| panic!("no status: {shown}")).to_owned()
    }

    /// The journal as `runs show --events` has it, line by line.
    #[track_caller]
    pub(crate) fn journal(&self, run: &str) -> String {
        self.run(["runs", "show", run, "--events", "--json"]).succeeds().stdout
    }

    #[track_caller]
    pub(crate) fn inbox(&self) -> Vec<Value> {
        self.run(["inbox", "--json", "--all"]).succeeds().json_lines()
    }

    #[track_caller]
    pub(crate) fn verify(&self, run: &str) {
        self.run(["runs", "verify", run, "--json"]).succeeds();
    }
}

/// The arguments that start a run.
pub(crate) fn args_to_start(workflow: &str, input: &Value, more: &[&str]) -> Vec<String> {
    let mut args: Vec<String> =
        ["runs", "start", workflow, "--json", "--input"].map(str::to_owned).into();
    args.push(input.to_string());
    args.extend(more.iter().map(|&word| word.to_owned()));
    args
}

#[track_caller]
pub(crate) fn id(run: &Value) -> String {
    run["id"].as_str().unwrap_or_else(|| panic!("no id: {run}")).to_owned()
}

/// Demands a program that a test cannot do without. There is no skipping: what was not tested must
/// not look as if it had been.
#[track_caller]
pub(crate) fn need(program: &str) {
    let found = std::env::var_os("PATH")
        .is_some_and(|path| std::env::split_paths(&path).any(|dir| dir.join(program).is_file()));
    assert!(found, "{program} is missing: ./test installs it, or `apt install {program}`");
}
