//! What the caller knows of a source from before, so that nothing is fetched twice.

use std::collections::HashMap;

use serde::{Deserialize, Serialize};

/// What tells whether a file is still the one that was fetched. It is opaque: the caller keeps it with the
/// file, as the JSON that it serialises to, and gives it back.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Validators {
    /// SHA-256 of the bytes, in hex.
    pub(crate) checksum: String,
    #[serde(flatten)]
    pub(crate) of: Of,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Of {
    Local(LocalStamp),
    Web(WebStamp),
    Gdrive(DriveStamp),
}

/// Which file it was, and when it was last touched.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct LocalStamp {
    pub(crate) size: u64,
    pub(crate) modified: i64,
    pub(crate) changed: i64,
    pub(crate) device: u64,
    pub(crate) inode: u64,
    /// When it was read, in nanoseconds since 1970: a change right after that may not show in the others.
    pub(crate) read_at: i64,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct WebStamp {
    /// Where redirects ended.
    pub(crate) url: String,
    pub(crate) etag: Option<String>,
    pub(crate) last_modified: Option<String>,
    /// The links of the page to its own site, in their order. `None` if they were not read.
    pub(crate) links: Option<Vec<String>>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct DriveStamp {
    pub(crate) sha256: Option<String>,
    pub(crate) md5: Option<String>,
    pub(crate) modified: Option<String>,
}

impl Validators {
    /// The checksum of the version that they stand for.
    #[must_use]
    pub fn checksum(&self) -> &str {
        &self.checksum
    }
}

/// What is known of one file of a source.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Past {
    /// It was fetched, found unchanged, or skipped in this run already: it is not asked for again, and gives
    /// no item. With validators, a crawl goes on with the links of the page.
    Done(Option<Validators>),
    /// An earlier run fetched it. It is asked for only if it has changed.
    Before(Validators),
}

/// What the caller knows. It is asked by the identifier of each file, just before that file.
pub trait Known: Send + Sync {
    fn past(&self, identifier: &str) -> Option<Past>;
}

/// Nothing is known: everything is fetched.
#[derive(Clone, Copy, Debug, Default)]
pub struct Nothing;

impl Known for Nothing {
    fn past(&self, _: &str) -> Option<Past> {
        None
    }
}

impl Known for HashMap<String, Past> {
    fn past(&self, identifier: &str) -> Option<Past> {
        self.get(identifier).cloned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn validators_come_back_from_their_json() {
        let of = Of::Web(WebStamp { etag: Some("\"a\"".to_owned()), ..WebStamp::default() });
        let validators = Validators { checksum: "00".to_owned(), of };
        let text = serde_json::to_string(&validators).unwrap();
        assert_eq!(serde_json::from_str::<Validators>(&text).unwrap(), validators);
        let of = Of::Local(LocalStamp {
            size: 1,
            modified: 2,
            changed: 3,
            device: 4,
            inode: 5,
            read_at: 6,
        });
        let validators = Validators { checksum: "00".to_owned(), of };
        let text = serde_json::to_string(&validators).unwrap();
        assert_eq!(serde_json::from_str::<Validators>(&text).unwrap(), validators);
    }
}
