//! How long threads that could work had to wait for a processor: the kernel's own count (`schedstat`). It tells our
//! queues from a machine that is busy.

use std::{error::Error, fs, path::PathBuf};

/// Milliseconds that threads waited for a processor, since they began.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Waited {
    /// The thread that asks.
    pub(super) client: f64,
    /// All threads of the server.
    pub(super) server: f64,
}

impl Waited {
    pub(super) fn now(server: u32) -> Result<Self, Box<dyn Error>> {
        let mut waited = Self { client: of_thread("/proc/thread-self".into())?, server: 0.0 };
        for thread in fs::read_dir(format!("/proc/{server}/task"))? {
            // A thread may have ended since.
            waited.server += of_thread(thread?.path()).unwrap_or_default();
        }
        Ok(waited)
    }

    /// Since then. A thread that ended takes its own with it.
    pub(super) fn since(self, then: Self) -> Self {
        let client = self.client - then.client;
        Self { client, server: (self.server - then.server).max(0.0) }
    }
}

fn of_thread(thread: PathBuf) -> Result<f64, Box<dyn Error>> {
    let text = fs::read_to_string(thread.join("schedstat"))?;
    let nanos = text.split_whitespace().nth(1).ok_or("no time of waiting")?;
    Ok(nanos.parse::<f64>()? / 1e6)
}
