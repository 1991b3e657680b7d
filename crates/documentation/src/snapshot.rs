//! A repository at one moment, as a value.

use std::collections::BTreeMap;

/// The most of one file that is kept. The rest counts as not there, and what is looked up may be in it.
pub const MOST_FILE_BYTES: usize = 4 << 20;
/// The longest document that is updated.
pub const MOST_DOCUMENT_BYTES: usize = 512 << 10;
/// The most of all files together.
pub const MOST_BYTES: usize = 64 << 20;

/// What Scribe knows of a repository. Fill it with [`Snapshot::add`], which keeps the bounds.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Snapshot {
    pub owner: String,
    pub name: String,
    /// By path from the root, with `/`.
    pub files: BTreeMap<String, Text>,
    /// Files that are there, but whose text is not. They count as paths that exist.
    pub left_out: Vec<LeftOut>,
    /// There are more files, of which not even the names are known.
    pub truncated: bool,
    /// Newest first.
    pub commits: Vec<LogEntry>,
    bytes: usize,
}

/// The text of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Text {
    pub text: String,
    /// The file is longer.
    pub cut: bool,
}

/// A file without text.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
pub struct LeftOut {
    pub path: String,
    pub why: WhyLeftOut,
}

/// Why the text of a file is not there.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "snake_case")]
pub enum WhyLeftOut {
    /// It is not text.
    Binary,
    /// The repository is larger than what is read of one.
    Bound,
    /// It is larger than what is read of one file.
    Large,
    /// It could not be read.
    Unreadable,
    /// It is a symbolic link.
    Link,
    /// It is another repository.
    Submodule,
    /// It does not fit into the context of a model.
    Budget,
}

/// A commit.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LogEntry {
    pub id: String,
    /// `2026-01-31`, or with a time behind it.
    pub date: String,
    pub subject: String,
    pub body: String,
    /// Tags on it, such as `v1.2.0`.
    pub tags: Vec<String>,
}

impl Snapshot {
    #[must_use]
    pub fn new(owner: &str, name: &str) -> Self {
        Self { owner: owner.to_owned(), name: name.to_owned(), ..Self::default() }
    }

    /// Adds a file. What is not text, and what is beyond the bounds, goes to `left_out`.
    pub fn add(&mut self, path: &str, bytes: &[u8]) {
        let path = path.trim_start_matches("./").to_owned();
        let kept = bytes.get(..MOST_FILE_BYTES).unwrap_or(bytes);
        if kept.iter().take(8 << 10).any(|byte| *byte == 0) {
            return self.left_out.push(LeftOut { path, why: WhyLeftOut::Binary });
        }
        if self.bytes + kept.len() > MOST_BYTES {
            return self.left_out.push(LeftOut { path, why: WhyLeftOut::Bound });
        }
        self.bytes += kept.len();
        let text = String::from_utf8_lossy(kept).into_owned();
        self.files.insert(path, Text { text, cut: kept.len() < bytes.len() });
    }

    /// The text of a file.
    #[must_use]
    pub fn text(&self, path: &str) -> Option<&str> {
        self.files.get(path).map(|file| file.text.as_str())
    }

    /// All paths of files, also of those without text.
    pub fn paths(&self) -> impl Iterator<Item = &str> {
        let left_out = self.left_out.iter().map(|file| file.path.as_str());
        self.files.keys().map(String::as_str).chain(left_out)
    }
}
