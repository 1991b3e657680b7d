//! A data directory of a test's own, commands on it, and processes that go on meanwhile.

use std::{
    cell::Cell,
    fs::{self, File},
    path::PathBuf,
    process::{Child, Stdio},
    thread,
    time::{Duration, Instant},
};

use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;

use crate::{
    support::{Consign, Folder, Outcome, text},
    terminal::Terminal,
};

/// No condition of ours takes this long, whatever else the machine does.
const PATIENCE: Duration = Duration::from_secs(60);

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
    pub(crate) fn spawn(&self, args: &[&str]) -> Background {
        self.let_go_on(self.consign(args))
    }

    pub(crate) fn let_go_on(&self, consign: Consign) -> Background {
        let number = self.started.get();
        self.started.set(number + 1);
        let place = |name: &str| self.folder.path().join(format!("{number}.{name}"));
        let (stdout, stderr) = (place("stdout"), place("stderr"));
        let create =
            |path: &PathBuf| File::create(path).expect("a temporary folder can be written");
        let mut command = consign.into_command();
        command.stdin(Stdio::null()).stdout(create(&stdout)).stderr(create(&stderr));
        let child = command.spawn().expect("the binary starts");
        Background { child: Some(child), stdout, stderr }
    }

    /// A worker that has begun to work.
    pub(crate) fn worker(&self) -> Background {
        let worker = self.spawn(&["worker", "--json"]);
        until("the worker starts", || worker.stdout().contains("started").then_some(()));
        worker
    }
}

/// A process that goes on. It dies with the test.
pub(crate) struct Background {
    child: Option<Child>,
    stdout: PathBuf,
    stderr: PathBuf,
}

impl Background {
    pub(crate) fn signal(&self, signal: Signal) {
        let child = self.child.as_ref().expect("it was not waited for");
        kill_process(Pid::from_child(child), signal).expect("it is ours");
    }

    pub(crate) fn has_ended(&mut self) -> bool {
        let child = self.child.as_mut().expect("it was not waited for");
        child.try_wait().expect("it is ours").is_some()
    }

    pub(crate) fn pid(&self) -> u32 {
        self.child.as_ref().expect("it was not waited for").id()
    }

    /// What it has said so far.
    pub(crate) fn stdout(&self) -> String {
        fs::read_to_string(&self.stdout).expect("it was made")
    }

    pub(crate) fn stderr(&self) -> String {
        fs::read_to_string(&self.stderr).expect("it was made")
    }

    /// Waits for its end.
    #[track_caller]
    pub(crate) fn wait(mut self) -> Outcome {
        let mut child = self.child.take().expect("it is waited for once");
        let status = until("it ends", || child.try_wait().expect("it is ours"));
        Outcome { code: status.code(), stdout: self.stdout(), stderr: self.stderr() }
    }
}

impl Drop for Background {
    fn drop(&mut self) {
        if let Some(child) = &mut self.child {
            // It may have ended by itself.
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}

/// Looks again and again until there is something.
#[track_caller]
pub(crate) fn until<T>(what: &str, mut look: impl FnMut() -> Option<T>) -> T {
    let began = Instant::now();
    loop {
        if let Some(found) = look() {
            return found;
        }
        assert!(began.elapsed() < PATIENCE, "in {PATIENCE:?} it never came to this: {what}");
        thread::sleep(Duration::from_millis(20));
    }
}

/// Demands that every line is a document of this contract.
#[track_caller]
pub(crate) fn keeps(contract: &str, lines: &str) {
    assert!(!lines.is_empty(), "there is nothing to check");
    Consign::new(["contracts", "check", contract, "--stream"]).stdin(lines).run().exits(0);
}
