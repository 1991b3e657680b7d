//! Finds out which process holds a lock. The kernel says so; nothing is locked here to find out,
//! because that would mislead another process that checks at the same moment.

use std::{
    fs::{self, Metadata},
    os::unix::fs::MetadataExt,
    path::Path,
    process,
};

/// The holder of a lock.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Holder {
    /// A process, by its number.
    Alive(u32),
    /// A process that lives and does nothing (SIGSTOP, a debugger).
    Stopped(u32),
    Nobody,
    /// The system does not tell.
    Unknown,
}

/// The locks of all processes, at one moment.
#[derive(Debug)]
pub struct Locks(Option<String>);

impl Locks {
    /// Reads the list of locks.
    #[must_use]
    pub fn look() -> Self {
        Self(fs::read_to_string("/proc/locks").ok())
    }

    /// The holder of the lock of a file or folder.
    #[must_use]
    pub fn holder(&self, file: &Path) -> Holder {
        let Some(locks) = &self.0 else { return Holder::Unknown };
        let Ok(known) = fs::metadata(file) else { return Holder::Nobody };
        let lines = locks.lines().filter_map(|line| Line::of(line, &known));
        let pids: Vec<_> = lines.filter(|line| !line.waits).map(|line| line.pid).collect();
        // Another file system may have a file of the same number.
        match pids.iter().find(|pid| has_open(**pid, &known)) {
            Some(pid) if is_stopped(*pid) => Holder::Stopped(*pid),
            Some(pid) => Holder::Alive(*pid),
            None if pids.is_empty() => Holder::Nobody,
            None => Holder::Unknown,
        }
    }

    /// Whether this process waits for the lock of a file.
    #[must_use]
    pub fn keep_us_waiting(&self, file: &Path) -> bool {
        let (Some(locks), Ok(known)) = (&self.0, fs::metadata(file)) else { return false };
        let mut lines = locks.lines().filter_map(|line| Line::of(line, &known));
        lines.any(|line| line.waits && line.pid == process::id())
    }
}

/// `4: FLOCK  ADVISORY  WRITE 1234 08:01:5678 0 EOF`, and with `->` before FLOCK for those who wait.
struct Line {
    pid: u32,
    waits: bool,
}

impl Line {
    /// If it is about this file.
    fn of(line: &str, file: &Metadata) -> Option<Self> {
        let mut words = line.split_whitespace().skip(1);
        let first = words.next()?;
        let waits = first == "->";
        if (if waits { words.next()? } else { first }) != "FLOCK" {
            return None;
        }
        let pid = words.nth(2)?.parse().ok()?;
        let inode = words.next()?.rsplit(':').next()?.parse::<u64>().ok()?;
        (inode == file.ino()).then_some(Self { pid, waits })
    }
}

/// By number: the file had another name when it was opened.
fn has_open(pid: u32, file: &Metadata) -> bool {
    let mut handles = fs::read_dir(format!("/proc/{pid}/fd")).into_iter().flatten().flatten();
    let same = |other: &Metadata| (other.dev(), other.ino()) == (file.dev(), file.ino());
    handles.any(|handle| fs::metadata(handle.path()).is_ok_and(|other| same(&other)))
}

fn is_stopped(pid: u32) -> bool {
    // The name of the program comes before the state, and may have anything in it.
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    let state = stat.rsplit_once(") ").and_then(|(_, rest)| rest.chars().next());
    matches!(state, Some('T' | 't'))
}
