//! What is told of each file, and of all of them together.

use serde::{Deserialize, Serialize};

use crate::failure::Failed;

/// What became of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RowStatus {
    /// It is new.
    Taken,
    /// It said something else before.
    Replaced,
    /// It is as it was.
    Unchanged,
    /// It was not to be had or not to be read, and trying again would not help.
    Skipped,
    Failed,
}

impl RowStatus {
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Taken => "taken",
            Self::Replaced => "replaced",
            Self::Unchanged => "unchanged",
            Self::Skipped => "skipped",
            Self::Failed => "failed",
        }
    }
}

/// One file of an ingest.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FileRow {
    pub source_id: String,
    pub document_id: Option<String>,
    pub source_identifier: String,
    pub collection: String,
    pub status: RowStatus,
    pub chunks: u32,
    pub pages: u32,
    pub checksum: Option<String>,
    /// Contract `crew/agent-failure`.
    pub error: Option<Failed>,
    #[serde(default)]
    pub warnings: Vec<String>,
    /// What it was fetched by, where that is not its identifier.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fetched_as: Option<String>,
}

/// How many files came to what.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Counts {
    pub taken: u64,
    pub replaced: u64,
    pub unchanged: u64,
    pub skipped: u64,
    pub failed: u64,
    /// Of the files that are known now.
    pub chunks: u64,
}

impl Counts {
    /// Counts of several ingests.
    pub fn add(&mut self, other: &Self) {
        let Self { taken, replaced, unchanged, skipped, failed, chunks } = other;
        self.taken += taken;
        self.replaced += replaced;
        self.unchanged += unchanged;
        self.skipped += skipped;
        self.failed += failed;
        self.chunks += chunks;
    }

    pub(crate) fn count(&mut self, row: &FileRow) {
        let count = match row.status {
            RowStatus::Taken => &mut self.taken,
            RowStatus::Replaced => &mut self.replaced,
            RowStatus::Unchanged => &mut self.unchanged,
            RowStatus::Skipped => &mut self.skipped,
            RowStatus::Failed => &mut self.failed,
        };
        *count += 1;
        self.chunks += u64::from(row.chunks);
    }

    /// Files that can be found now.
    #[must_use]
    pub fn known(&self) -> u64 {
        self.taken + self.replaced + self.unchanged
    }
}
