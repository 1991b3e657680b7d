//! The definition of a program as an agent, as a user writes it.

use std::{path::PathBuf, time::Duration};

use consign_engine::Nanos;

#[derive(Clone, Debug, PartialEq)]
pub struct Definition {
    /// The program and its arguments. No shell reads it. A program without a slash is looked up in
    /// PATH; one with a slash is relative to the directory.
    pub command: Vec<String>,
    /// Its working directory, if it is not ours.
    pub directory: Option<PathBuf>,
    /// The variables of our environment that it is given, besides [`Definition::ALWAYS`].
    pub env: Vec<String>,
    /// The limit for one run of the program. The agent's own timeout should be a little longer: an
    /// attempt that takes too long then ends with what is known about it, and is not merely
    /// dropped.
    pub timeout: Duration,
    /// The most bytes that it and all it starts may have in memory.
    pub memory: u64,
    /// The most bytes that it may write to stdout.
    pub output: u64,
    /// The most processes that it may have started and not ended, itself included.
    pub processes: usize,
    /// The most that one attempt costs.
    pub max_cost: Nanos,
    /// Whether it writes text to stdout and not JSON: its output is then `{"text": …}`.
    pub text: bool,
}

impl Definition {
    /// The variables that every program is given, where they are set.
    pub const ALWAYS: [&str; 6] = ["PATH", "HOME", "LANG", "LC_ALL", "TMPDIR", "TZ"];

    /// A definition with the default limits.
    #[must_use]
    pub fn new(command: impl IntoIterator<Item = impl Into<String>>) -> Self {
        Self {
            command: command.into_iter().map(Into::into).collect(),
            directory: None,
            env: Vec::new(),
            timeout: Duration::from_secs(600),
            memory: 1 << 30,
            output: 10 << 20,
            processes: 256,
            max_cost: Nanos::ZERO,
            text: false,
        }
    }
}
