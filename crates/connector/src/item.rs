//! What a session gives: one item for each file or page.

use std::{path::PathBuf, time::Duration};

use consign_contracts::{
    crew::{ConnectorOutput, SourceType},
    json::Object,
    wire::Integer,
};
use serde_json::{Map, Value};

use crate::{Error, Validators, error::object};

/// One file or page of a source.
#[derive(Clone, Debug, PartialEq)]
pub enum Item {
    Fetched(Box<Fetched>),
    Unchanged(Unchanged),
    Skipped(Skipped),
    /// Much was looked at, and nothing of it was a file or page to tell: there may be more, and the caller asks again.
    NotYet,
}

/// A session that came across nothing for so long says so.
pub(crate) const PATIENCE: Duration = Duration::from_secs(60);

/// A file that was copied.
#[derive(Clone, Debug, PartialEq)]
pub struct Fetched {
    pub source_type: SourceType,
    /// Names this one file, and stays when its content changes: its path, its address, its id in Google Drive.
    pub identifier: String,
    /// The copy, as an absolute path in the caller's destination.
    pub file: PathBuf,
    pub size: u64,
    /// SHA-256 of the copy, in hex.
    pub checksum: String,
    /// What the source says about it.
    pub source_metadata: Map<String, Value>,
    /// Where a person can open it.
    pub source_url: Option<String>,
    pub hint: KindHint,
    /// To be kept, and given back when this source is fetched again.
    pub validators: Validators,
}

/// What the source says the kind is. The content decides.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct KindHint {
    pub file_name: Option<String>,
    /// A media type without parameters, in lower case.
    pub content_type: Option<String>,
    /// The character encoding that the source names.
    pub charset: Option<String>,
}

/// A file that is as it was when it was fetched before. No copy was made.
#[derive(Clone, Debug, PartialEq)]
pub struct Unchanged {
    pub identifier: String,
    pub checksum: String,
    /// To be kept in the place of those from before.
    pub validators: Validators,
}

/// A file that was not fetched, or a part of the source that was left out.
#[derive(Clone, Debug, PartialEq)]
pub struct Skipped {
    pub identifier: String,
    pub error: Error,
}

/// What a session came across, beside its items. Nothing in it is a failure.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Summary {
    pub fetched: u64,
    pub unchanged: u64,
    pub skipped: u64,
    /// Bytes of the files that were fetched.
    pub bytes: u64,
    /// Files and pages that the caller has already.
    pub done_before: u64,
    /// Hidden files and folders.
    pub hidden: u64,
    /// What `.gitignore` and `.ignore` leave out.
    pub ignored: u64,
    /// Links, which are not followed; pipes and devices.
    pub links_and_devices: u64,
    /// Folders below, when only one was asked for.
    pub folders_not_entered: u64,
    /// Links that lead out of the part of the site.
    pub outside: u64,
    /// Pages with the bytes of another one, or reached under two addresses.
    pub duplicates: u64,
    /// Pictures, sounds, scripts and the like that a page links to.
    pub not_documents: u64,
    /// Links that look as if they grow without end.
    pub endless_links: u64,
}

impl Fetched {
    /// The document's output for it.
    #[must_use]
    pub fn output(&self) -> ConnectorOutput {
        ConnectorOutput {
            file_path: self.file.to_string_lossy().into_owned(),
            file_size_bytes: Integer::from(i64::try_from(self.size).unwrap_or(i64::MAX)),
            source_metadata: object(&self.source_metadata),
            checksum: self.checksum.clone(),
            extra: Object::new(),
        }
    }
}

impl KindHint {
    /// Reads a `Content-Type`.
    pub(crate) fn of_content_type(value: Option<&str>) -> Self {
        let mut parts = value.unwrap_or_default().split(';');
        let kind = parts.next().unwrap_or_default().trim().to_ascii_lowercase();
        let charset = parts.find_map(|part| {
            let (name, value) = part.split_once('=')?;
            let value = value.trim().trim_matches('"').to_ascii_lowercase();
            (name.trim().eq_ignore_ascii_case("charset") && !value.is_empty()).then_some(value)
        });
        let content_type = kind.contains('/').then_some(kind);
        Self { file_name: None, content_type, charset }
    }

    pub(crate) fn is_html(&self) -> bool {
        matches!(self.content_type.as_deref(), Some("text/html" | "application/xhtml+xml"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_content_type_is_read_with_its_charset() {
        let check = |value: Option<&str>, kind: Option<&str>, charset: Option<&str>| {
            let hint = KindHint::of_content_type(value);
            assert_eq!((hint.content_type.as_deref(), hint.charset.as_deref()), (kind, charset));
        };
        check(None, None, None);
        check(Some("Text/HTML; Charset=\"UTF-8\""), Some("text/html"), Some("utf-8"));
        check(Some("application/pdf"), Some("application/pdf"), None);
        check(Some("nonsense; charset="), None, None);
    }
}
