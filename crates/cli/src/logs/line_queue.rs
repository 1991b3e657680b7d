//! Lines on their way to standard error, which a thread of their own writes: a reader who does not read must hold up
//! nothing. What does not fit is left out, and how much that was is told.

use std::{
    collections::VecDeque,
    sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError},
    thread,
    time::Duration,
};

/// Lines that wait to be written.
const MOST: usize = 4096;

pub(super) struct LineQueue {
    shared: Arc<Shared>,
}

#[derive(Default)]
struct Shared {
    waiting: Mutex<Waiting>,
    /// A line came, or all were written.
    changed: Condvar,
}

#[derive(Default)]
struct Waiting {
    lines: VecDeque<String>,
    left_out: u64,
    /// Some were taken, and are not written yet.
    writing: bool,
}

impl LineQueue {
    /// Starts the thread. `write` gets whole lines, and `left_out` words the line that tells how many are missing.
    pub(super) fn start(
        write: impl FnMut(&str) + Send + 'static,
        left_out: impl Fn(u64) -> String + Send + 'static,
    ) -> Self {
        let shared = Arc::<Shared>::default();
        let queue = shared.clone();
        let work = move || queue.work(write, left_out);
        // Without it everything works, and nothing is told.
        let _ = thread::Builder::new().name("consign-log".into()).spawn(work);
        Self { shared }
    }

    pub(super) fn push(&self, line: String) {
        let mut waiting = self.shared.lock();
        match waiting.lines.len() < MOST {
            true => waiting.lines.push_back(line),
            false => waiting.left_out += 1,
        }
        drop(waiting);
        self.shared.changed.notify_all();
    }

    /// Waits until all is written, but no longer than that.
    pub(super) fn finish(&self, within: Duration) {
        let waiting = self.shared.lock();
        let busy = |waiting: &mut Waiting| waiting.writing || !waiting.lines.is_empty();
        let _ = self.shared.changed.wait_timeout_while(waiting, within, busy);
    }
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, Waiting> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn work(&self, mut write: impl FnMut(&str), left_out: impl Fn(u64) -> String) {
        let mut waiting = self.lock();
        loop {
            waiting.writing = !waiting.lines.is_empty();
            if !waiting.writing {
                self.changed.notify_all();
                waiting = self.changed.wait(waiting).unwrap_or_else(PoisonError::into_inner);
                continue;
            }
            let lines = std::mem::take(&mut waiting.lines);
            let missing = std::mem::take(&mut waiting.left_out);
            drop(waiting);
            let missing = (missing > 0).then(|| left_out(missing));
            for line in lines.into_iter().chain(missing) {
                write(&(line + "\n"));
            }
            waiting = self.lock();
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc::{channel, sync_channel};

    use super::*;

    fn missing(lines: u64) -> String {
        format!("{lines} missing")
    }

    #[test]
    fn lines_are_written_in_order_before_the_end() {
        let (write, written) = channel();
        let queue = LineQueue::start(move |line| write.send(line.to_owned()).unwrap(), missing);
        queue.push("one".to_owned());
        queue.push("two".to_owned());
        queue.finish(Duration::MAX);
        assert_eq!(written.try_iter().collect::<Vec<_>>(), ["one\n", "two\n"]);
        queue.push("three".to_owned());
        queue.finish(Duration::MAX);
        assert_eq!(written.try_iter().collect::<Vec<_>>(), ["three\n"]);
    }

    #[test]
    fn a_reader_who_does_not_read_holds_up_nothing_and_is_told_what_was_left_out() {
        let (write, written) = sync_channel(0);
        // The thread stands still at the first line until that is read.
        let queue = LineQueue::start(move |line| write.send(line.to_owned()).unwrap(), missing);
        for line in 0..3 * MOST {
            queue.push(line.to_string());
        }
        queue.finish(Duration::from_millis(1));
        let (mut kept, mut left_out) = (Vec::new(), 0);
        // The thread may have begun late, and taken what was there twice.
        while kept.len() + left_out < 3 * MOST {
            let line = written.recv().unwrap();
            match line.strip_suffix(" missing\n") {
                Some(count) => left_out += count.parse::<usize>().unwrap(),
                None => kept.push(line.trim_end().parse::<usize>().unwrap()),
            }
        }
        assert!(kept.is_sorted_by(|a, b| a < b), "{kept:?}");
        assert_eq!(kept.len() + left_out, 3 * MOST);
        assert!((MOST..=2 * MOST).contains(&kept.len()), "{}", kept.len());
    }
}
