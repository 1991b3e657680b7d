//! The limits for the work on one repository.

use std::time::Duration;

/// How much work one repository may cost. The defaults are for some million lines.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Files larger than this are not searched or parsed.
    pub file_bytes: u64,
    /// Files in the list; what comes after is left out, and results say so.
    pub files: usize,
    /// Results of any one call, whatever limit it asks for.
    pub results: usize,
    /// Files parsed by any one call.
    pub parses: usize,
    /// Time for parsing one file.
    pub parse_time: Duration,
    /// Commits looked at by one log or blame.
    pub commits: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            file_bytes: 2 << 20,
            files: 500_000,
            results: 1_000,
            parses: 2_000,
            parse_time: Duration::from_secs(1),
            commits: 20_000,
        }
    }
}
