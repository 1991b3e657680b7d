//! A data directory of a test's own, commands on it, and processes that go on meanwhile.

use std::{cell::Cell, path::PathBuf};

use serde_json::Value;

use crate::{
    harness::{self, PATIENCE, Process},
    support::{Consign, Folder, Outcome, text},
    terminal::Terminal,
};

pub(crate) struct Home {
    folder: Folder,
    started: Cell<usize>,
}

impl Home {
    pub(crate) fn new() -> Self {
        Self { folder: Folder::new(), started: Cell::new(0) }
    }

    /// What `CONSIGN_HOME` names. The first command makes it.
    pub(crate) fn path(&self) -> PathBuf {
        self.folder.path().join("home")
    }

    /// A file beside the data directory.
    pub(crate) fn file(&self, name: &str, content: impl AsRef<[u8]>) -> String {
        self.folder.file(name, content)
    }

    pub(crate) fn consign(&self, args: &[&str]) -> Consign {
        Consign::new(args).env("CONSIGN_HOME", self.path())
    }

    pub(crate) fn run(&self, args: &[&str]) -> Outcome {
        self.consign(args).run()
    }

    /// The same with `--json`, and the one object that it prints.
    #[track_caller]
    pub(crate) fn json(&self, args: &[&str], exit: i32) -> Value {
        self.run(&[args, &["--json"]].concat()).exits(exit).json()
    }

    /// Starts a run for the workers and gives its id.
    #[track_caller]
    pub(crate) fn detach(&self, workflow: &str, input: &str) -> String {
        let args = ["runs", "start", workflow, "--input", input, "--detach"];
        text(&self.json(&args, 0), "id").to_owned()
    }

    /// Starts a run here, which ends with this exit code, and gives its id.
    #[track_caller]
    pub(crate) fn start(&self, workflow: &str, input: &str, exit: i32) -> String {
        let args = ["runs", "start", workflow, "--input", input];
        text(&self.json(&args, exit), "id").to_owned()
    }

    #[track_caller]
    pub(crate) fn show(&self, run: &str) -> Value {
        self.json(&["runs", "show", run], 0)
    }

    #[track_caller]
    pub(crate) fn status(&self, run: &str) -> String {
        text(&self.show(run), "status").to_owned()
    }

    /// On a terminal.
    pub(crate) fn terminal(&self) -> Terminal {
        let path = self.path().into_os_string().into_string().expect("a plain name");
        Terminal::new().set("CONSIGN_HOME", path)
    }

    /// Starts a command and lets it go on.
    pub(crate) fn spawn(&self, args: &[&str]) -> Process {
        self.let_go_on(self.consign(args))
    }

    pub(crate) fn let_go_on(&self, consign: Consign) -> Process {
        let number = self.started.get();
        self.started.set(number + 1);
        let prefix = self.folder.path().join(format!("process-{number}"));
        Process::start(consign.into_command(), prefix)
    }

    /// A worker that has begun to work.
    pub(crate) fn worker(&self) -> Process {
        let worker = self.spawn(&["worker", "--json"]);
        until("the worker starts", || worker.stdout().contains("started").then_some(()));
        worker
    }
}

/// Looks again and again until there is something.
#[track_caller]
pub(crate) fn until<T>(what: &str, look: impl FnMut() -> Option<T>) -> T {
    harness::until(PATIENCE, what, look)
}

/// Demands that every line is a document of this contract.
#[track_caller]
pub(crate) fn keeps(contract: &str, lines: &str) {
    assert!(!lines.is_empty(), "there is nothing to check");
    Consign::new(["contracts", "check", contract, "--stream"]).stdin(lines).run().exits(0);
}
