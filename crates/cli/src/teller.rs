//! Standard error from a thread of its own, for commands that stay: whoever does not read it must hold up
//! nobody. What does not fit is left out, and how much that was is told.

use std::{
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
        mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel},
    },
    thread,
    time::Duration,
};

use anstream::ColorChoice;

use crate::output::warn;

/// Lines that wait to be written.
const MOST: usize = 256;

pub(crate) struct Teller {
    lines: SyncSender<String>,
    left_out: Arc<AtomicU64>,
    /// Says nothing, and is gone when all is written.
    written: Receiver<()>,
}

/// How others tell it something.
#[derive(Clone)]
pub(crate) struct Tell {
    lines: SyncSender<String>,
    left_out: Arc<AtomicU64>,
}

impl Teller {
    pub(crate) fn new(color: ColorChoice) -> Self {
        Self::by(move |line| warn(color, line))
    }

    fn by(mut write: impl FnMut(&str) + Send + 'static) -> Self {
        let (lines, told) = sync_channel::<String>(MOST);
        let left_out = Arc::new(AtomicU64::new(0));
        let (writing, written) = sync_channel(0);
        let count = left_out.clone();
        let work = move || {
            for line in told {
                write(&line);
                let left_out = count.swap(0, Ordering::Relaxed);
                if left_out > 0 {
                    write(&format!("{left_out} lines were left out here: nobody read them"));
                }
            }
            drop(writing);
        };
        // Without it everything works; nobody is told.
        let _ = thread::Builder::new().name("consign-teller".into()).spawn(work);
        Self { lines, left_out, written }
    }

    pub(crate) fn tell(&self) -> Tell {
        Tell { lines: self.lines.clone(), left_out: self.left_out.clone() }
    }

    /// Waits until all is written that was told, but no longer than that.
    pub(crate) fn finish(self, within: Duration) {
        let Self { lines, written, .. } = self;
        drop(lines);
        let _: Result<(), RecvTimeoutError> = written.recv_timeout(within);
    }
}

impl Tell {
    pub(crate) fn line(&self, line: impl Into<String>) {
        if self.lines.try_send(line.into()).is_err() {
            self.left_out.fetch_add(1, Ordering::Relaxed);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc::channel;

    use super::*;

    #[test]
    fn what_is_told_is_written_in_order_before_the_end() {
        let (write, written) = channel();
        let teller = Teller::by(move |line| write.send(line.to_owned()).unwrap());
        let tell = teller.tell();
        tell.line("one");
        tell.line("two");
        drop(tell);
        teller.finish(Duration::MAX);
        assert_eq!(written.into_iter().collect::<Vec<_>>(), ["one", "two"]);
    }

    #[test]
    fn whoever_does_not_read_holds_up_nobody_and_is_told_what_was_left_out() {
        let (write, written) = sync_channel(0);
        // Nobody reads: it stands still at the first line.
        let teller = Teller::by(move |line| drop(write.send(line.to_owned())));
        let tell = teller.tell();
        for line in 0..1000 {
            tell.line(line.to_string());
        }
        drop(tell);
        let reading = thread::spawn(move || written.into_iter().collect::<Vec<String>>());
        teller.finish(Duration::MAX);
        let written = reading.join().unwrap();
        let numbers: Vec<u64> = written.iter().filter_map(|line| line.parse().ok()).collect();
        assert!(numbers.is_sorted_by(|a, b| a < b), "{numbers:?}");
        // One may have been on its way when the rest was told.
        assert!((MOST..=MOST + 1).contains(&numbers.len()), "{}", numbers.len());
        let told = written.iter().find(|line| line.contains("were left out")).unwrap();
        assert!(told.starts_with(&(1000 - numbers.len()).to_string()), "{told}");
    }

    #[test]
    fn an_end_does_not_wait_for_whoever_never_reads() {
        let (_never, reads) = channel::<()>();
        let teller = Teller::by(move |_| assert!(reads.recv().is_err()));
        teller.tell().line("one");
        teller.finish(Duration::from_millis(10));
    }
}
