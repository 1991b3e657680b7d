//! A program under its keeper, seen from our process: started, waited for, stopped.
//!
//! Dropping a [`SupervisedChild`] without waiting for it kills the program.

use std::{
    ffi::OsString,
    io,
    os::fd::OwnedFd,
    path::Path,
    process::{ExitStatus, Stdio},
    sync::Arc,
    thread,
    time::Duration,
};

use rustix::process::{Pid, PidfdFlags, Signal, kill_process, pidfd_open, pidfd_send_signal};
use tokio::{
    process::{Child, ChildStdin, ChildStdout, Command},
    task::{JoinHandle, spawn_blocking},
    time::timeout,
};

use super::{
    keeper::{self, End},
    tail::Tail,
    tree,
};
use crate::outside::Heard;

/// How long a keeper may take to stop before we kill its processes ourselves.
const PATIENCE: Duration = Duration::from_secs(2);
/// How long a pipe may stay open when no process should be left that could write to it.
pub(super) const LAST_WORDS: Duration = Duration::from_secs(1);
/// How often, and how many times, to check whether what was killed is dead.
const LOOK: Duration = Duration::from_millis(5);
const LOOKS: usize = 400;
/// The most bytes of stderr that are kept as evidence.
pub(crate) const EVIDENCE: usize = 16 << 10;
/// How much more is read than kept, because hiding secrets shortens the text.
const MARGIN: usize = 8 << 10;
/// The environment variable that marks the processes of one attempt.
pub const MARK: &str = "CONSIGN_KEPT";

/// What to start, and with what.
pub(crate) struct Start<'a> {
    /// The program that contains the keeper.
    pub(crate) launcher: &'a Path,
    pub(crate) command: &'a [String],
    pub(crate) directory: Option<&'a Path>,
    /// Its whole environment.
    pub(crate) env: Vec<(OsString, OsString)>,
    pub(crate) memory: u64,
}

/// How to stop a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stopping {
    /// It may clean up for half a second.
    Kindly,
    AtOnce,
}

/// A running program, with all that it started.
pub(crate) struct SupervisedChild {
    child: Child,
    killer: KillOnDrop,
    stderr: Tail,
    hearing: JoinHandle<()>,
}

impl SupervisedChild {
    pub(crate) fn start(start: Start<'_>) -> io::Result<(Self, ChildStdin, ChildStdout)> {
        let mut random = [0; 16];
        getrandom::fill(&mut random).map_err(io::Error::other)?;
        let mark = format!("{:032x}", u128::from_ne_bytes(random));
        let mut command = Command::new(start.launcher);
        command
            .arg0("agent-keeper")
            .arg("supervise")
            .args(keeper::arguments(start.memory, start.command))
            .env_clear()
            .envs(start.env)
            .env(MARK, &mark)
            .env(keeper::FRUGAL.0, keeper::FRUGAL.1)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            // Ctrl-C is for us: we may want to let the program finish.
            .process_group(0);
        if let Some(directory) = start.directory {
            command.current_dir(directory);
        }
        let mut child = command.spawn()?;
        let gone = || io::Error::other("the process that supervises it has no pipes");
        let pid = child.id().and_then(|pid| Pid::from_raw(i32::try_from(pid).ok()?));
        let pid = pid.ok_or_else(gone)?;
        // Not waited for yet, so the number is still its own.
        let handle = pidfd_open(pid, PidfdFlags::empty()).inspect_err(|_| {
            let _ = kill_process(pid, Signal::INT);
        })?;
        let handle = Arc::new(handle);
        let killer = KillOnDrop {
            pid: pid.as_raw_pid(),
            handle,
            mark: format!("{MARK}={mark}"),
            over: false,
        };
        let stdin = child.stdin.take().ok_or_else(gone)?;
        let stdout = child.stdout.take().ok_or_else(gone)?;
        let stderr = Tail::new(EVIDENCE + MARGIN);
        let hearing = tokio::spawn(stderr.clone().fill(child.stderr.take().ok_or_else(gone)?));
        Ok((Self { child, killer, stderr, hearing }, stdin, stdout))
    }

    /// The process id of the keeper, which is the parent of the program's processes.
    pub(crate) fn keeper(&self) -> i32 {
        self.killer.pid
    }

    /// Returns when all of it has ended. May be dropped and called again.
    pub(crate) async fn exited(&mut self) -> io::Result<ExitStatus> {
        self.child.wait().await
    }

    /// Stops it, and returns when all of it has ended.
    pub(crate) async fn stop(&mut self, stopping: Stopping) -> io::Result<ExitStatus> {
        self.killer.signal(match stopping {
            Stopping::Kindly => Signal::TERM,
            Stopping::AtOnce => Signal::INT,
        });
        match timeout(PATIENCE, self.child.wait()).await {
            Ok(status) => status,
            Err(_) => {
                self.killer.kill_all().await;
                self.child.wait().await
            }
        }
    }

    /// How the program ended, if its keeper could say, and the end of what it wrote to stderr.
    pub(crate) async fn settle(mut self, status: io::Result<ExitStatus>) -> (Option<End>, Heard) {
        let trusted = status.is_ok_and(|status| status.success());
        if !trusted {
            self.killer.kill_all().await;
        }
        self.killer.over = true;
        let _ = timeout(LAST_WORDS, &mut self.hearing).await;
        let mut stderr = self.stderr.take();
        let end = if trusted { keeper::take_report(&mut stderr.bytes) } else { None };
        (end, stderr)
    }
}

impl Drop for SupervisedChild {
    fn drop(&mut self) {
        self.hearing.abort();
    }
}

/// Kills the program if it is dropped.
struct KillOnDrop {
    pid: i32,
    handle: Arc<OwnedFd>,
    /// The marking variable with its value.
    mark: String,
    over: bool,
}

impl KillOnDrop {
    fn signal(&self, signal: Signal) {
        let _ = pidfd_send_signal(&self.handle, signal);
        // It may have been suspended.
        let _ = pidfd_send_signal(&self.handle, Signal::CONT);
    }

    /// Kills what is left of the program and its keeper, in place of the keeper.
    async fn kill_all(&self) {
        let (pid, handle, mark) = (self.pid, self.handle.clone(), self.mark.clone());
        let _ = spawn_blocking(move || kill_all(pid, &handle, &mark)).await;
    }
}

impl Drop for KillOnDrop {
    fn drop(&mut self) {
        if self.over {
            return;
        }
        self.signal(Signal::INT);
        let (pid, handle, mark) = (self.pid, self.handle.clone(), self.mark.clone());
        // The runtime may be about to end, and must not be held up. If all of us end, the keeper
        // notices.
        let _ = thread::Builder::new().name("leash".to_owned()).spawn(move || {
            tree::over_within(&handle, PATIENCE);
            kill_all(pid, &handle, &mark);
        });
    }
}

fn kill_all(pid: i32, keeper: &OwnedFd, mark: &str) {
    for _ in 0..LOOKS {
        let mut left = tree::descendants(pid);
        if tree::over_within(keeper, Duration::ZERO) {
            // The number may belong to another process by now.
            left.clear();
        }
        left.extend(tree::marked(mark));
        left.retain(|process| process.pid != pid);
        if left.is_empty() {
            break;
        }
        left.iter().for_each(tree::kill);
        thread::sleep(LOOK);
    }
    let _ = pidfd_send_signal(keeper, Signal::KILL);
}
