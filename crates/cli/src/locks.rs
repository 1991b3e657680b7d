//! Who has which file locked. The kernel says so; nothing is locked here to find out, since somebody
//! who looks at the same moment would be misled.

use std::{
    fs::{self, Metadata},
    os::unix::fs::MetadataExt,
    path::Path,
    process, thread,
    time::Duration,
};

use anstream::ColorChoice;

use crate::output::warn;

/// Who has a lock.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Holder {
    Alive(u32),
    /// It lives and does nothing (SIGSTOP, a debugger).
    Stopped(u32),
    Nobody,
    /// The kernel does not say here.
    Unknown,
}

/// The locks of all processes, at one moment.
pub(crate) struct Locks(Option<String>);

impl Locks {
    pub(crate) fn look() -> Self {
        Self(fs::read_to_string("/proc/locks").ok())
    }

    pub(crate) fn holder(&self, file: &Path) -> Holder {
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

    /// Whether this process waits for its turn.
    fn keep_us_waiting(&self, file: &Path) -> bool {
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

/// How often to look whether we wait, and how often once we do.
const SELDOM: Duration = Duration::from_secs(1);
const OFTEN: Duration = Duration::from_millis(100);
/// Those who take turns are found waiting now and then. Not so often in a row, for the same process.
const LOOKS: u32 = 20;

/// Says on standard error, once each time, that this process waits for another to let it write.
/// From a thread of its own: whoever waits may be the one that would have to say so.
pub(crate) fn tell_waits(home: &Path) {
    let file = home.join("write.lock");
    let watch = move || {
        let (mut holder, mut looks) = (Holder::Nobody, 0_u32);
        loop {
            thread::sleep(if looks == 0 { SELDOM } else { OFTEN });
            let locks = Locks::look();
            if !locks.keep_us_waiting(&file) {
                looks = 0;
                continue;
            }
            let now = locks.holder(&file);
            looks = if now == holder { looks.saturating_add(1) } else { 1 };
            holder = now;
            if looks == LOOKS {
                warn(ColorChoice::Never, format!("waiting to write: {}", in_words(holder)));
            }
        }
    };
    // Without it everything works; nobody is told.
    let _ = thread::Builder::new().name("consign-lookout".into()).spawn(watch);
}

fn in_words(holder: Holder) -> String {
    match holder {
        Holder::Alive(pid) => format!("process {pid} has the write lock"),
        Holder::Stopped(pid) => {
            format!(
                "process {pid} has the write lock and is stopped; `kill -CONT {pid}` lets it go on"
            )
        }
        Holder::Nobody | Holder::Unknown => "another process has the write lock".to_owned(),
    }
}
