//! A clock that a test sets.

use std::{fs, path::PathBuf, process::Command};

use rustix::process::Signal;

use super::{Home, Process, need};

/// `consign ARGS` with the clock as the file says: `+0`, `-1y`, `+1y`.
pub(crate) fn at(home: &Home, clock: &str, args: &[&str]) -> Command {
    set(home, clock);
    let mut command = home.command(args);
    command.env("LD_PRELOAD", library()).env("FAKETIME_TIMESTAMP_FILE", home.file("clock"));
    // Time that passes is another clock, which nobody can set.
    command.env("FAKETIME_NO_CACHE", "1").env("FAKETIME_DONT_FAKE_MONOTONIC", "1");
    command
}

/// What sets the clock. The command `faketime` would do, but it stays as the parent of what it
/// starts, so that killing it would not kill that.
fn library() -> PathBuf {
    need("faketime");
    let folders = fs::read_dir("/usr/lib").expect("libraries").filter_map(Result::ok);
    let candidates = folders.map(|folder| folder.path()).chain([PathBuf::from("/usr/lib")]);
    let mut libraries = candidates.map(|folder| folder.join("faketime/libfaketime.so.1"));
    libraries.find(|library| library.exists()).expect("libfaketime is where faketime is")
}

/// Sets the clock of all that was started with it.
pub(crate) fn set(home: &Home, clock: &str) {
    fs::write(home.file("clock"), format!("{clock}\n")).expect("a file of ours");
}

/// Ends a worker, not by a kill: what sets the clock would leave a semaphore behind.
pub(crate) fn stop(worker: Process) {
    worker.signal(Signal::TERM);
    worker.wait();
}
