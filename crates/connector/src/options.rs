//! What the operator allows: `[connector]` of the settings.

use std::{path::PathBuf, time::Duration};

use crate::Allowed;

/// The limits and permissions of all sessions.
#[derive(Clone, Debug)]
pub struct Options {
    /// Folders below which a caller over HTTP or MCP may read. None by default.
    pub roots: Vec<PathBuf>,
    /// Folders that are never read, whoever names them: our own home.
    pub never: Vec<PathBuf>,
    /// Where files lie that were sent to us, the one exception from `never`.
    pub sent: Option<PathBuf>,
    /// Private addresses that may be reached all the same.
    pub allow_private: Allowed,
    /// For each host of a site. A site's own `Crawl-delay` can only make it slower.
    pub requests_per_second: f64,
    /// The largest file. Larger ones are skipped.
    pub max_bytes: u64,
    /// All files of one source together.
    pub max_total_bytes: u64,
    /// The longest time for one file.
    pub max_time: Duration,
    /// The longest time for one source.
    pub max_total_time: Duration,
    /// The most pages that are asked for, or files that are looked at.
    pub max_files: u64,
    /// The most links after links, or folders in folders of a Drive.
    pub max_depth: u32,
    /// The most tries of one request.
    pub tries: u32,
    /// Whether local files and folders with a hidden or ignored name are taken too. What belongs to git is
    /// never taken.
    pub hidden_and_ignored: bool,
    /// Where Google Drive is. Without a path in it, `/drive/v3` is added.
    pub gdrive_base_url: String,
    /// Where Google gives a new access token for a refresh token.
    pub gdrive_token_url: String,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            roots: Vec::new(),
            never: Vec::new(),
            sent: None,
            allow_private: Allowed::default(),
            requests_per_second: 1.0,
            max_bytes: 64 << 20,
            max_total_bytes: 4 << 30,
            max_time: Duration::from_secs(120),
            max_total_time: Duration::from_secs(4 * 3600),
            max_files: 10_000,
            max_depth: 16,
            tries: 5,
            hidden_and_ignored: false,
            gdrive_base_url: "https://www.googleapis.com".to_owned(),
            gdrive_token_url: "https://oauth2.googleapis.com/token".to_owned(),
        }
    }
}

impl Options {
    /// The least time between two requests to one host.
    pub(crate) fn interval(&self) -> Duration {
        let per_second = self.requests_per_second;
        let known = per_second.is_finite() && per_second > 0.0;
        Duration::try_from_secs_f64(1.0 / if known { per_second } else { 1.0 })
            .unwrap_or(Duration::from_secs(1))
    }
}
