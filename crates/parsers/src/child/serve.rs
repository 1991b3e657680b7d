//! The process that reads files: what it does with each.

use std::{
    io::{self, Read, Write},
    process, thread,
    time::Duration,
};

use rustix::process::{
    Resource, Rlimit, Signal, getpgid, getpid, getppid, getrlimit, kill_process_group, setrlimit,
};

use super::wire::{self, Answer};
use crate::{Options, ParseError, options::Limits};

/// The largest file. The caller has its own, lower limit.
const MOST: u64 = 4 << 30;

/// What the process needs besides what a file takes: its program and the stacks of its threads.
const OWN: u64 = 256 << 20;

/// Reads files that come on standard input until it is closed, and answers on standard output.
///
/// It changes the limits of the process, so call it in a process that does nothing else.
///
/// # Errors
/// When the pipes fail; the other side is gone then.
pub fn serve() -> io::Result<()> {
    let mut from = io::stdin().lock();
    let mut to = io::stdout().lock();
    end_without_caller()?;
    // A crash is told by how the process ends. A picture of its memory would hold the file and its password.
    lower(Resource::Core, 0);
    while let Some(options) = wire::read(&mut from, 1 << 20)? {
        let understood = serde_json::from_slice::<Options>(&options);
        let lost = understood.is_err();
        let answer = match understood {
            Ok(options) => one(&mut from, &options)?,
            Err(error) => {
                let details = format!("the options are not understood: {error}");
                Answer::Failed(ParseError::Process { details })
            }
        };
        let answer = serde_json::to_vec(&answer).map_err(io::Error::other)?;
        wire::write(&mut to, &answer)?;
        to.flush()?;
        if lost {
            // What comes next is a file, not options.
            return Ok(());
        }
    }
    Ok(())
}

fn one(from: impl Read, options: &Options) -> io::Result<Answer> {
    limit_memory(&options.limits);
    let Some(bytes) = wire::read(from, MOST)? else {
        return Err(io::ErrorKind::UnexpectedEof.into());
    };
    // The other side kills us in time. If it is gone, we end by ourselves.
    let time = options.limits.time + Duration::from_secs(5);
    let (done, ended) = std::sync::mpsc::channel::<()>();
    let watch = thread::Builder::new().stack_size(64 << 10).spawn(move || {
        if ended.recv_timeout(time) == Err(std::sync::mpsc::RecvTimeoutError::Timeout) {
            end(124);
        }
    })?;
    let parsed = crate::parse(&bytes, options);
    drop(done);
    drop(watch.join());
    Ok(match parsed {
        Ok(document) => Answer::Read(Box::new(document)),
        Err(error) => Answer::Failed(error),
    })
}

/// Data of the process, and on Linux its whole address space, which some allocators reserve in advance.
fn limit_memory(limits: &Limits) {
    lower(Resource::Data, limits.memory.saturating_add(OWN));
    lower(Resource::As, limits.memory.saturating_mul(2).saturating_add(8 << 30));
}

/// Lowers a limit. One that is already lower stays.
fn lower(resource: Resource, most: u64) {
    let now = getrlimit(resource);
    let most = now.maximum.map_or(most, |hard| hard.min(most));
    // A system that does not know the limit does without it: the time still holds, and the process is not ours.
    setrlimit(resource, Rlimit { current: Some(most), maximum: now.maximum }).ok();
}

/// How often the process looks whether its caller is still there.
const LOOK: Duration = Duration::from_millis(200);

/// A process whose caller was killed would go on for nobody. (The signal that Linux has for it comes when the *thread* ends
/// that started the process, which a caller's threads do all the time.)
fn end_without_caller() -> io::Result<()> {
    let caller = getppid();
    let watch = move || {
        while getppid() == caller {
            thread::sleep(LOOK);
        }
        end(125)
    };
    thread::Builder::new().stack_size(64 << 10).spawn(watch).map(drop)
}

/// Ends the process and what it has started.
fn end(code: i32) -> ! {
    let own = getpid();
    // Of a group of its own, which its caller gives it; another one has other processes.
    if getpgid(None) == Ok(own) {
        kill_process_group(own, Signal::KILL).ok();
    }
    process::exit(code)
}
