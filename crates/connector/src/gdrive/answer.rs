//! What Google Drive answers.

use serde::Deserialize;
use serde_json::{Map, Value};

use crate::{Error, known::DriveStamp};

pub(super) const FOLDER: &str = "application/vnd.google-apps.folder";
pub(super) const SHORTCUT: &str = "application/vnd.google-apps.shortcut";
/// What Google's own kinds begin with.
const OWN: &str = "application/vnd.google-apps.";

/// What is asked of each file.
pub(super) const FIELDS: &str = "id,name,mimeType,description,size,md5Checksum,sha256Checksum,createdTime,\
    modifiedTime,version,webViewLink,driveId,parents,trashed,owners(displayName,emailAddress),\
    lastModifyingUser(displayName,emailAddress),shortcutDetails(targetId,targetMimeType),\
    capabilities(canDownload)";

/// A kind of Google's own, and what it is exported as.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Export {
    pub(super) mime_type: &'static str,
    pub(super) ending: &'static str,
}

/// A file or folder.
#[derive(Clone, Debug)]
pub(super) struct File {
    pub(super) id: String,
    pub(super) name: String,
    pub(super) mime_type: String,
    pub(super) drive_id: Option<String>,
    pub(super) web_view_link: Option<String>,
    /// All of it.
    pub(super) said: Map<String, Value>,
}

impl File {
    /// `None` if it is no file: it has no id, or none that can be one.
    pub(super) fn read(said: Map<String, Value>) -> Option<Self> {
        let text = |name: &str| said.get(name).and_then(Value::as_str).map(str::to_owned);
        let id = text("id").filter(|id| super::id::is_id(id))?;
        let link = text("webViewLink").filter(|link| link.starts_with("https://"));
        Some(Self {
            id,
            name: text("name").unwrap_or_default(),
            mime_type: text("mimeType").unwrap_or_default(),
            drive_id: text("driveId").filter(|id| super::id::is_id(id)),
            web_view_link: link,
            said,
        })
    }

    fn text(&self, name: &str) -> Option<&str> {
        self.said.get(name).and_then(Value::as_str)
    }

    /// The file itself, or what a shortcut leads to.
    pub(super) fn target(&self) -> &str {
        self.shortcut("targetId").filter(|id| super::id::is_id(id)).unwrap_or(&self.id)
    }

    fn shortcut(&self, name: &str) -> Option<&str> {
        let details = self.said.get("shortcutDetails").filter(|_| self.mime_type == SHORTCUT)?;
        details.get(name).and_then(Value::as_str)
    }

    pub(super) fn is_folder(&self) -> bool {
        self.mime_type == FOLDER || self.shortcut("targetMimeType") == Some(FOLDER)
    }

    /// Google writes sizes as text.
    pub(super) fn size(&self) -> Option<u64> {
        self.text("size")?.parse().ok()
    }

    pub(super) fn stamp(&self) -> DriveStamp {
        let text = |name| self.text(name).map(str::to_owned);
        DriveStamp {
            sha256: text("sha256Checksum"),
            md5: text("md5Checksum"),
            modified: text("modifiedTime"),
        }
    }

    /// How the bytes are to be had: by an export, or as they are.
    pub(super) fn export(&self) -> Result<Option<Export>, Error> {
        if self.said.get("trashed") == Some(&Value::Bool(true)) {
            return Err(Error::not_found(format!("{:?} is in the bin of Google Drive", self.name)));
        }
        let may = self.said.get("capabilities").and_then(|may| may.get("canDownload"));
        if may == Some(&Value::Bool(false)) {
            let why = format!("the owner of {:?} does not allow to download it", self.name);
            return Err(Error::auth(why));
        }
        let Some(own) = self.mime_type.strip_prefix(OWN) else { return Ok(None) };
        match own {
            "document" => Ok(Some(Export { mime_type: DOCX, ending: "docx" })),
            "spreadsheet" => Ok(Some(Export { mime_type: XLSX, ending: "xlsx" })),
            "presentation" => Ok(Some(Export { mime_type: PPTX, ending: "pptx" })),
            "drawing" => Ok(Some(Export { mime_type: "application/pdf", ending: "pdf" })),
            "shortcut" => {
                Err(Error::not_found(format!("the shortcut {:?} leads to nothing", self.name)))
            }
            other => {
                let name = &self.name;
                Err(Error::unsupported(format!(
                    "{name:?} is a Google {other}, which has no document in it"
                )))
            }
        }
    }
}

const DOCX: &str = "application/vnd.openxmlformats-officedocument.wordprocessingml.document";
const XLSX: &str = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet";
const PPTX: &str = "application/vnd.openxmlformats-officedocument.presentationml.presentation";

/// A page of a list.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Page {
    #[serde(default)]
    pub(super) files: Vec<Map<String, Value>>,
    pub(super) next_page_token: Option<String>,
    #[serde(default)]
    pub(super) incomplete_search: bool,
}

/// What is said in a refusal.
#[derive(Debug, Default, Deserialize)]
pub(super) struct Refusal {
    #[serde(default)]
    pub(super) error: Said,
}

#[derive(Debug, Default, Deserialize)]
pub(super) struct Said {
    #[serde(default)]
    pub(super) message: String,
    #[serde(default)]
    pub(super) errors: Vec<Reason>,
}

#[derive(Debug, Default, Deserialize)]
pub(super) struct Reason {
    #[serde(default)]
    pub(super) reason: String,
}

impl Refusal {
    /// Whether it says that there were too many requests.
    pub(super) fn is_limit(&self) -> bool {
        self.has(|reason| {
            matches!(
                reason,
                "rateLimitExceeded" | "userRateLimitExceeded" | "sharingRateLimitExceeded"
            )
        })
    }

    /// Whether what should be exported is too large for Google to do it.
    pub(super) fn is_too_large(&self) -> bool {
        self.has(|reason| reason == "exportSizeLimitExceeded")
    }

    fn has(&self, is: impl Fn(&str) -> bool) -> bool {
        self.error.errors.iter().any(|error| is(&error.reason))
    }
}
