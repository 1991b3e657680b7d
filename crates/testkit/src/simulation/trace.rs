//! A readable log of a simulation.

use std::{
    collections::VecDeque,
    fmt::Write as _,
    sync::{Mutex, MutexGuard, PoisonError},
};

use tokio::time::Instant;

/// The newest lines, and a digest of all.
pub(super) struct Trace {
    began: Instant,
    /// How many lines are kept.
    most: usize,
    lines: Mutex<Lines>,
}

struct Lines {
    kept: VecDeque<String>,
    count: u64,
    digest: u64,
}

impl Trace {
    /// Begins now, and keeps so many lines.
    pub(super) fn new(most: usize) -> Self {
        // FNV-1a begins so.
        let lines = Lines { kept: VecDeque::new(), count: 0, digest: 0xcbf2_9ce4_8422_2325 };
        Self { began: Instant::now(), most, lines: Mutex::new(lines) }
    }

    pub(super) fn began(&self) -> Instant {
        self.began
    }

    pub(super) fn line(&self, who: &str, what: std::fmt::Arguments<'_>) {
        let mut lines = self.lines();
        let mut line = if lines.kept.len() == self.most {
            lines.kept.pop_front().unwrap_or_default()
        } else {
            String::new()
        };
        line.clear();
        let at = self.began.elapsed().as_secs_f64();
        write!(line, "{at:9.3}  {who:<7}  {what}").expect("a string takes everything");
        for byte in line.bytes() {
            lines.digest = (lines.digest ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
        }
        lines.count += 1;
        lines.kept.push_back(line);
    }

    /// How many lines there were, and what they come to.
    pub(super) fn digest(&self) -> (u64, u64) {
        let lines = self.lines();
        (lines.count, lines.digest)
    }

    pub(super) fn newest(&self) -> Vec<String> {
        self.lines().kept.iter().cloned().collect()
    }

    fn lines(&self) -> MutexGuard<'_, Lines> {
        self.lines.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
