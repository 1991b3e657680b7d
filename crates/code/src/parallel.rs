//! Processes many files on all cores, and reads them.

use std::{
    num::NonZero,
    sync::atomic::{AtomicUsize, Ordering},
    thread,
};

use crate::{Cancel, Repository, walk::Entry};

/// More threads than this would wait for each other's files.
const MOST: usize = 8;
/// Files that a thread takes at a time: few enough to share the work, enough not to fight for it.
const CHUNK: usize = 16;

/// Files that are parsed before a check whether that was enough.
pub(crate) const BATCH: usize = 256;

/// Runs the same work on each core and gathers what each made of it.
pub(crate) fn threads<S: Send>(work: impl Fn() -> S + Sync) -> Vec<S> {
    let count = thread::available_parallelism().map_or(1, NonZero::get).min(MOST);
    thread::scope(|scope| {
        let others: Vec<_> = (1..count).map(|_| scope.spawn(&work)).collect();
        let mut parts = vec![work()];
        for other in others {
            match other.join() {
                Ok(part) => parts.push(part),
                Err(panic) => std::panic::resume_unwind(panic),
            }
        }
        parts
    })
}

/// Calls `each` for every item, in order as far as several threads can. Each thread has a state of
/// its own; all of them come back.
pub(crate) fn over<T: Sync, S: Send>(
    items: &[T],
    cancel: &Cancel,
    start: impl Fn() -> S + Sync,
    each: impl Fn(&mut S, &T) + Sync,
) -> Vec<S> {
    let next = AtomicUsize::new(0);
    // A handful of files is shared out one by one.
    let chunk = CHUNK.min(items.len() / 8).max(1);
    let work = || {
        let mut state = start();
        loop {
            let from = next.fetch_add(chunk, Ordering::Relaxed);
            let Some(items) = items.get(from..items.len().min(from + chunk)) else { break };
            if items.is_empty() {
                break;
            }
            for item in items {
                if cancel.is_over() {
                    return state;
                }
                each(&mut state, item);
            }
        }
        state
    };
    if items.len() < 2 { vec![work()] } else { threads(work) }
}

/// A buffer for one file at a time, and how many were read.
#[derive(Default)]
pub(crate) struct Reader {
    bytes: Vec<u8>,
    pub(crate) read: usize,
    pub(crate) skipped: usize,
}

impl Reader {
    /// The file's bytes, if it is text within the limits and still there.
    pub(crate) fn load(&mut self, repository: &Repository, entry: &Entry) -> Option<&[u8]> {
        if entry.binary {
            self.skipped += 1;
            return None;
        }
        self.load_path(repository, &entry.path)
    }

    pub(crate) fn load_path(&mut self, repository: &Repository, path: &str) -> Option<&[u8]> {
        let read = repository.root.read(path, repository.limits.file_bytes, &mut self.bytes);
        if read.is_err() || is_binary(&self.bytes) {
            self.skipped += 1;
            return None;
        }
        self.read += 1;
        Some(&self.bytes)
    }
}

/// Text has no NUL; that a file has none in its first KB is enough to believe it.
pub(crate) fn is_binary(bytes: &[u8]) -> bool {
    memchr::memchr(0, &bytes[..bytes.len().min(1024)]).is_some()
}

impl Repository {
    /// Reads one file that the caller named.
    pub(crate) fn read_text(&self, path: &str, limit: u64) -> Result<Vec<u8>, crate::Error> {
        let mut bytes = Vec::new();
        self.root.read(path, limit, &mut bytes)?;
        if is_binary(&bytes) {
            return Err(crate::Error::Binary { path: path.to_owned() });
        }
        Ok(bytes)
    }
}
