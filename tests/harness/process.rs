//! A process that never outlives its test.
//!
//! It stays in the test's own process group, so that whoever ends a hanging test from outside ends
//! it too. What it prints goes to files: a full pipe would stop it, and what it had said before it
//! was killed can still be read.

use std::{
    fs::{self, File},
    path::PathBuf,
    process::{Child, Command, ExitStatus, Stdio},
};

use rustix::process::{Pid, Signal, kill_process};

use super::{Outcome, PATIENCE, until};

pub(crate) struct Process {
    child: Child,
    out: PathBuf,
    err: PathBuf,
    name: String,
}

impl Process {
    /// Starts a command. `prefix` names the files for what it prints.
    pub(crate) fn start(mut command: Command, prefix: PathBuf) -> Self {
        let (out, err) = (prefix.with_extension("out"), prefix.with_extension("err"));
        let file = |path| File::create(path).expect("a file in our own folder");
        command.stdin(Stdio::null()).stdout(file(&out)).stderr(file(&err));
        let child = command.spawn().unwrap_or_else(|cause| panic!("{command:?}: {cause}"));
        Self { child, out, err, name: format!("{command:?}") }
    }

    pub(crate) fn has_ended(&mut self) -> bool {
        self.child.try_wait().expect("our own child").is_some()
    }

    pub(crate) fn pid(&self) -> u32 {
        self.child.id()
    }

    /// What it has printed to standard output so far.
    pub(crate) fn stdout(&self) -> String {
        fs::read_to_string(&self.out).expect("what we print is UTF-8")
    }

    /// What it has printed to standard error so far.
    pub(crate) fn stderr(&self) -> String {
        fs::read_to_string(&self.err).expect("what we print is UTF-8")
    }

    /// Ends it without asking, and says what it had come to.
    pub(crate) fn kill(mut self) -> Outcome {
        // One that has ended already is not there to be killed.
        let _ = self.child.kill();
        self.wait()
    }

    pub(crate) fn signal(&self, signal: Signal) {
        let pid = Pid::from_child(&self.child);
        kill_process(pid, signal)
            .unwrap_or_else(|cause| panic!("{signal:?} {}: {cause}", self.name));
    }

    /// Waits for its end.
    #[track_caller]
    pub(crate) fn wait(mut self) -> Outcome {
        let status: ExitStatus = until(PATIENCE, format!("{} ends", self.name), || {
            self.child.try_wait().expect("our own child")
        });
        let read = |path| fs::read_to_string(path).expect("what we print is UTF-8");
        let outcome = Outcome::new(status, read(&self.out), read(&self.err));
        let _ = (fs::remove_file(&self.out), fs::remove_file(&self.err));
        outcome
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
