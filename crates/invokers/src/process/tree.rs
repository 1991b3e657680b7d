//! The processes below a process, read from `/proc`: found, counted, measured and killed.
//!
//! What is read here may be outdated a moment later. To be sure that no process is left, look again
//! until none is found.

use std::{
    collections::HashMap,
    fs,
    io::{BufRead, BufReader},
    os::fd::OwnedFd,
    time::Duration,
};

use rustix::{
    event::{PollFd, PollFlags, Timespec, poll},
    process::{Pid, PidfdFlags, Signal, pidfd_open, pidfd_send_signal},
};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Process {
    pub(super) pid: i32,
    parent: i32,
    /// When it started, in ticks since boot: tells it from a later process with the same number.
    started: u64,
    /// Whether it has ended and was not reaped yet.
    over: bool,
    pages: u64,
}

/// What a family of processes uses.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Usage {
    pub(super) memory: u64,
    pub(super) processes: usize,
}

/// All living processes below a process, found in the whole process table.
pub(super) fn descendants(root: i32) -> Vec<Process> {
    let mut by_parent: HashMap<i32, Vec<Process>> = HashMap::new();
    for process in all() {
        by_parent.entry(process.parent).or_default().push(process);
    }
    let mut found = Vec::new();
    let mut look = vec![root];
    while let Some(parent) = look.pop() {
        // Taken out, so that numbers that were used twice meanwhile cannot make a circle.
        for process in by_parent.remove(&parent).unwrap_or_default() {
            look.push(process.pid);
            if !process.over {
                found.push(process);
            }
        }
    }
    found
}

/// All living processes that were started with this entry in their environment.
pub(super) fn marked(entry: &str) -> Vec<Process> {
    let has = |process: &Process| {
        let environ = fs::read(format!("/proc/{}/environ", process.pid)).unwrap_or_default();
        environ.split(|byte| *byte == 0).any(|known| known == entry.as_bytes())
    };
    all().filter(|process| !process.over && has(process)).collect()
}

/// Kills a process, if the number still belongs to it.
pub(super) fn kill(process: &Process) {
    let Some(pid) = Pid::from_raw(process.pid) else { return };
    // From here on the number cannot come to mean another process.
    let Ok(handle) = pidfd_open(pid, PidfdFlags::empty()) else { return };
    if read(process.pid).is_some_and(|now| now.started == process.started) {
        // It may be over by now.
        let _ = pidfd_send_signal(&handle, Signal::KILL);
    }
}

/// Waits for a process to end. Returns whether it did.
pub(super) fn over_within(process: &OwnedFd, wait: Duration) -> bool {
    let wait = Timespec { tv_sec: wait.as_secs() as i64, tv_nsec: wait.subsec_nanos().into() };
    let mut look = [PollFd::new(process, PollFlags::IN)];
    matches!(poll(&mut look, Some(&wait)), Ok(1..))
}

/// What all processes below a process use. Cheap where the kernel lists children: only these
/// processes are read.
pub(super) fn usage(root: i32, limit: u64) -> Usage {
    let first = weigh(root, limit);
    if first.memory <= limit {
        return first;
    }
    // A process that ends while they are weighed leaves its part to others, who may be weighed later:
    // then it counts twice. Whoever is really too heavy still is.
    let again = weigh(root, limit);
    if again.memory < first.memory { again } else { first }
}

fn weigh(root: i32, limit: u64) -> Usage {
    let family = family(root).unwrap_or_else(|| descendants(root));
    let page = rustix::param::page_size() as u64;
    let resident = family.iter().map(|process| process.pages.saturating_mul(page)).sum();
    // What processes share counts once for each of them here. That it is within the limit is enough
    // to know; else it is worth a closer look, which costs more.
    let memory = if resident <= limit {
        resident
    } else {
        let shares = |process: &Process| {
            share(process.pid).unwrap_or_else(|| {
                // Whoever is gone has none; of others the kernel may not tell it.
                let there = read(process.pid)
                    .is_some_and(|now| now.started == process.started && !now.over);
                if there { process.pages.saturating_mul(page) } else { 0 }
            })
        };
        family.iter().map(shares).sum()
    };
    Usage { memory, processes: family.len() }
}

/// All living processes below a process. `None` where the kernel does not list children.
fn family(root: i32) -> Option<Vec<Process>> {
    let mut found = Vec::new();
    let mut look = children(root)?;
    while let Some(pid) = look.pop() {
        let Some(process) = read(pid) else { continue };
        look.extend(children(pid).unwrap_or_default());
        if !process.over {
            found.push(process);
        }
    }
    Some(found)
}

fn children(pid: i32) -> Option<Vec<i32>> {
    let mut found = Vec::new();
    for thread in fs::read_dir(format!("/proc/{pid}/task")).ok()?.flatten() {
        let listed = fs::read_to_string(thread.path().join("children")).ok()?;
        found.extend(listed.split_ascii_whitespace().filter_map(|pid| pid.parse::<i32>().ok()));
    }
    Some(found)
}

/// A process's memory with swap. Memory that it shares with others counts in part.
fn share(pid: i32) -> Option<u64> {
    let file = fs::File::open(format!("/proc/{pid}/smaps_rollup")).ok()?;
    let mut kib = 0u64;
    for line in BufReader::new(file).lines() {
        let line = line.ok()?;
        let value = line.strip_prefix("Pss:").or_else(|| line.strip_prefix("SwapPss:"));
        let value = value.and_then(|value| value.trim().strip_suffix(" kB"));
        kib += value.and_then(|value| value.parse::<u64>().ok()).unwrap_or(0);
    }
    Some(kib * 1024)
}

fn all() -> impl Iterator<Item = Process> {
    let entries = fs::read_dir("/proc").into_iter().flatten().flatten();
    entries.filter_map(|entry| read(entry.file_name().to_str()?.parse().ok()?))
}

fn read(pid: i32) -> Option<Process> {
    // The name can hold anything, invalid text included.
    let stat = fs::read(format!("/proc/{pid}/stat")).ok()?;
    parse(pid, &String::from_utf8_lossy(&stat))
}

/// `PID (NAME) STATE PARENT …`, see proc(5). The name may have brackets and spaces.
fn parse(pid: i32, stat: &str) -> Option<Process> {
    let fields: Vec<&str> = stat.rsplit_once(')')?.1.split_ascii_whitespace().collect();
    let field = |number: usize| fields.get(number - 3).copied();
    let threads: u64 = field(20)?.parse().ok()?;
    Some(Process {
        pid,
        parent: field(4)?.parse().ok()?,
        started: field(22)?.parse().ok()?,
        // A process whose first thread has ended looks over while its other threads work on.
        over: matches!(field(3)?, "Z" | "X") && threads <= 1,
        pages: field(24)?.parse().unwrap_or(0),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_of_stat_is_read_whatever_the_name_is() {
        let check = |name: &str, state: &str, threads: u32, over: bool| {
            let rest = "5 5 0 -1 4194304 1 2 3 4 5 6 7 8 20 0";
            let line = format!("7 ({name}) {state} 3 {rest} {threads} 0 4711 9000 42 18446744");
            let read = parse(7, &line);
            assert_eq!(
                read,
                Some(Process { pid: 7, parent: 3, started: 4711, over, pages: 42 }),
                "{line}"
            );
        };
        check("sh", "S", 1, false);
        check("a) Z 1 (b", "R", 1, false);
        check("gone", "Z", 1, true);
        check("headless", "Z", 3, false);
        assert_eq!(parse(7, "7 (sh) S 3"), None);
    }

    #[test]
    fn this_process_has_memory_and_is_found_below_its_parent() {
        let me = read(i32::try_from(std::process::id()).unwrap()).unwrap();
        assert!(me.pages > 0 && share(me.pid).unwrap() > 0);
        assert!(descendants(me.parent).iter().any(|process| process.pid == me.pid));
        assert!(usage(me.parent, u64::MAX).memory > 0);
        assert_eq!(usage(me.pid, 0).processes, 0);
    }
}
