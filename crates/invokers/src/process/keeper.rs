//! The keeper: the process between us and a program. It adopts what the program leaves behind, and
//! ends only when nothing of it is left.
//!
//! Its arguments are written and read here, and so is its report: one line on stderr, written when
//! no other process is left that could write there.

use std::{
    ffi::OsString,
    io::{self, Write},
    os::{fd::OwnedFd, unix::process::CommandExt},
    process::Command,
    thread,
    time::Duration,
};

use rustix::{
    io::Errno,
    process::{
        Pid, PidfdFlags, Resource, Rlimit, Signal, WaitOptions, WaitStatus, getpid, getppid,
        kill_process_group, pidfd_open, set_child_subreaper, setrlimit, wait,
    },
};
use serde::{Deserialize, Serialize};
use tokio::{
    signal::unix::{Signal as Signals, SignalKind, signal},
    sync::oneshot,
    time::timeout,
};

use super::tree;

/// How long a program that is asked to stop may take before it is killed.
const GRACE: Duration = Duration::from_millis(500);
/// How often to check whether what was killed is dead.
const LOOK: Duration = Duration::from_millis(5);

/// How a program ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum End {
    Exited(i32),
    Signalled(i32),
    NotStarted(String),
}

/// The arguments of a keeper: `PARENT MEMORY COMMAND…`. There are no options, so that no option of
/// the command is taken for one of the keeper.
pub(super) fn arguments(memory: u64, command: &[String]) -> Vec<OsString> {
    let parent = std::process::id().to_string();
    let own = [parent, memory.to_string()].into_iter();
    own.chain(command.iter().cloned()).map(OsString::from).collect()
}

/// Runs a command and everything it starts, until all of it is over. To be called first thing in a
/// process of its own: the hidden command `consign supervise` is nothing else.
///
/// SIGTERM asks it to stop the command, SIGINT, SIGHUP and the death of its parent to kill it.
///
/// Says whether it could tell how the command ended: only then may its process exit with success.
#[must_use]
pub fn supervise(arguments: &[OsString]) -> bool {
    let number = |at: usize| arguments.get(at).and_then(|text| text.to_str()?.parse::<u64>().ok());
    let parent = number(0).and_then(|pid| Pid::from_raw(i32::try_from(pid).ok()?));
    let (Some(parent), Some(memory), Some(command)) = (parent, number(1), arguments.get(2..))
    else {
        return false;
    };
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let ended = runtime.and_then(|runtime| runtime.block_on(keep(parent, memory, command)));
    let end = ended.unwrap_or_else(|cause| {
        End::NotStarted(format!("the process that supervises it failed: {cause}"))
    });
    io::stderr().write_all(report(&end).as_bytes()).is_ok()
}

/// The report: the last line of stderr.
fn report(end: &End) -> String {
    let line = serde_json::to_string(end).expect("numbers and text can be written");
    format!("\n{line}\n")
}

/// Takes the report off the end of stderr. Believe it only if the keeper exited with success:
/// otherwise the line may be the program's.
pub(super) fn take_report(stderr: &mut Vec<u8>) -> Option<End> {
    let text = stderr.strip_suffix(b"\n")?;
    let from = text.iter().rposition(|byte| *byte == b'\n')?;
    let end = serde_json::from_slice(&text[from + 1..]).ok()?;
    stderr.truncate(from);
    Some(end)
}

/// How a program is to be stopped.
enum Stop {
    Kindly,
    AtOnce,
}

async fn keep(parent: Pid, memory: u64, command: &[OsString]) -> io::Result<End> {
    // A user who kills all processes of our name must not kill the one that cleans up after them.
    rustix::thread::set_name(c"agent-keeper")?;
    set_child_subreaper(Some(getpid()))?;
    // The signal that the kernel offers for a parent's death comes when the thread dies that
    // started us. That is too early: threads come and go.
    let mut orphaned = end_of(pidfd_open(parent, PidfdFlags::empty())?)?;
    if getppid() != Some(parent) {
        return Ok(End::NotStarted("the process that started it has ended".to_owned()));
    }
    confine(memory)?;
    let mut signals = Listener::new()?;
    let Some((program, arguments)) = command.split_first() else {
        return Ok(End::NotStarted("there is no command".to_owned()));
    };
    let mut program = Command::new(program);
    program.args(arguments).env_remove(FRUGAL.0).process_group(0);
    let child = match program.spawn() {
        Ok(child) => child,
        Err(cause) => return Ok(End::NotStarted(cause.to_string())),
    };
    let child = Pid::from_child(&child);
    let mut status = None;
    let stop = loop {
        reap(child, &mut status);
        if status.is_some() {
            break Stop::AtOnce;
        }
        tokio::select! {
            _ = signals.child.recv() => {}
            _ = signals.terminate.recv() => break Stop::Kindly,
            _ = signals.interrupt.recv() => break Stop::AtOnce,
            _ = signals.hang_up.recv() => break Stop::AtOnce,
            _ = &mut orphaned => break Stop::AtOnce,
        }
    };
    if let Stop::Kindly = stop {
        let _ = kill_process_group(child, Signal::TERM);
        let over = async {
            while reap(child, &mut status) && status.is_none() {
                signals.child.recv().await;
            }
        };
        tokio::select! {
            _ = timeout(GRACE, over) => {}
            _ = signals.interrupt.recv() => {}
            _ = &mut orphaned => {}
        }
    }
    while reap(child, &mut status) {
        tree::descendants(getpid().as_raw_pid()).iter().for_each(tree::kill);
        let _ = timeout(LOOK, signals.child.recv()).await;
    }
    Ok(match status {
        Some(status) => match (status.exit_status(), status.terminating_signal()) {
            (Some(code), _) => End::Exited(code),
            (None, signal) => End::Signalled(signal.unwrap_or_default()),
        },
        None => End::Signalled(Signal::KILL.as_raw()),
    })
}

/// Notifies when a process has ended.
fn end_of(process: OwnedFd) -> io::Result<oneshot::Receiver<()>> {
    let (tell, told) = oneshot::channel();
    let wait = move || {
        while !tree::over_within(&process, Duration::from_secs(3600)) {}
        let _ = tell.send(());
    };
    thread::Builder::new().spawn(wait)?;
    Ok(told)
}

/// The variable that a keeper is started with, and no program sees. The allocator of `consign` takes a
/// gigabyte at once and commits to it, which counts as data: under its program's limit, a keeper could
/// start nothing.
pub(super) const FRUGAL: (&str, &str) = ("MIMALLOC_ARENA_EAGER_COMMIT", "0");

/// Limits that the command inherits and cannot raise.
fn confine(memory: u64) -> io::Result<()> {
    rustix::thread::set_no_new_privs(true)?;
    setrlimit(Resource::Core, Rlimit { current: Some(0), maximum: Some(0) })?;
    // Us aside, who measure what is really used, this stops what is taken in one go. Space that is
    // reserved and not used counts here, such as the stacks of threads: hence the room.
    let room = memory.saturating_mul(2).saturating_add(256 << 20);
    let room =
        rustix::process::getrlimit(Resource::Data).maximum.map_or(room, |most| most.min(room));
    setrlimit(Resource::Data, Rlimit { current: Some(room), maximum: Some(room) })?;
    Ok(())
}

/// Reaps all children that ended. Returns whether any is left.
fn reap(child: Pid, status: &mut Option<WaitStatus>) -> bool {
    loop {
        match wait(WaitOptions::NOHANG) {
            Ok(Some((pid, ended))) if pid == child => *status = Some(ended),
            Ok(Some(_)) | Err(Errno::INTR) => {}
            Ok(None) => return true,
            // What is below us comes to us when those between are over: no children, nobody.
            Err(_) => return false,
        }
    }
}

struct Listener {
    child: Signals,
    terminate: Signals,
    interrupt: Signals,
    hang_up: Signals,
}

impl Listener {
    fn new() -> io::Result<Self> {
        Ok(Self {
            child: signal(SignalKind::child())?,
            terminate: signal(SignalKind::terminate())?,
            interrupt: signal(SignalKind::interrupt())?,
            hang_up: signal(SignalKind::hangup())?,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_report_is_taken_off_and_leaves_what_the_program_wrote() {
        let check = |wrote: &str, end: &End| {
            let mut stderr = format!("{wrote}{}", report(end)).into_bytes();
            assert_eq!(take_report(&mut stderr).as_ref(), Some(end));
            assert_eq!(String::from_utf8(stderr).unwrap(), wrote);
        };
        check("", &End::Exited(0));
        check("no newline", &End::Signalled(9));
        check("one\n", &End::NotStarted("No such file".to_owned()));
        check("\n{\"exited\":0}\n", &End::Exited(75));
        for text in ["", "\n", "words\n", "\n{\"exited\":0}"] {
            assert_eq!(take_report(&mut text.as_bytes().to_vec()), None, "{text:?}");
        }
    }
}
