//! `settings.toml` of a home: what may be fetched, and what a file may take.
//!
//! ```toml
//! [connector]
//! roots = ["/srv/documents"]          # what callers over HTTP and MCP may read; none by default
//! allow_private = ["wiki.local:8080", "10.1.0.0/16"]
//! requests_per_second = 1.0
//! max_bytes = 67108864                # of one file
//! max_seconds = 14400                 # of one source
//! gdrive_base_url = "https://www.googleapis.com"
//!
//! [parser]
//! max_seconds = 120                   # of one file
//! max_memory_mb = 1024
//! tesseract_languages = "eng"
//!
//! [documents]
//! max_bytes = 67108864                # of the files of one upload together
//! ```
//!
//! The tables `[conversation]` and `[guard]` are in `conversations::settings`.

use std::{fs, io::ErrorKind, path::Path, time::Duration};

use consign_connector::{Allowed, Options as ConnectorOptions};
use consign_files::trusted;
use consign_parsers::Limits;
use serde::Deserialize;

use crate::conversations::{ConversationFile, GuardFile, TurnSettings};

/// A file that a person writes is never larger.
const MOST_BYTES: u64 = 1 << 20;

/// What can be set for the documents of a home.
#[derive(Clone, Debug, Default)]
pub(crate) struct DocumentSettings {
    pub connector: ConnectorOptions,
    pub limits: Limits,
    pub tesseract_languages: Option<String>,
    /// Of the files of one upload together; [`MOST_SENT`] where it is not set.
    pub max_sent: Option<u64>,
    pub turns: TurnSettings,
}

/// Bytes of the files of one upload together, unless it is set.
pub(super) const MOST_SENT: u64 = 64 << 20;

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct DocumentsFile {
    connector: ConnectorFile,
    parser: ParserFile,
    documents: UploadFile,
    conversation: ConversationFile,
    guard: GuardFile,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct UploadFile {
    max_bytes: Option<u64>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct ConnectorFile {
    roots: Vec<std::path::PathBuf>,
    allow_private: Vec<String>,
    requests_per_second: Option<f64>,
    max_bytes: Option<u64>,
    max_seconds: Option<u64>,
    gdrive_base_url: Option<String>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct ParserFile {
    max_seconds: Option<u64>,
    max_memory_mb: Option<u64>,
    tesseract_languages: Option<String>,
}

impl DocumentSettings {
    /// Reads the settings of a home. The error names the file and what is wrong with it.
    pub(crate) fn load(home: &Path) -> Result<Self, String> {
        let path = home.join("settings.toml");
        if let Err(cause) = fs::symlink_metadata(&path)
            && cause.kind() == ErrorKind::NotFound
        {
            return Ok(Self::default());
        }
        let bytes = trusted::read(&path, MOST_BYTES).map_err(|why| why.to_string())?;
        let text =
            String::from_utf8(bytes).map_err(|_| "settings.toml: it is not text".to_owned())?;
        Self::read(&text)
    }

    fn read(text: &str) -> Result<Self, String> {
        let file: DocumentsFile = toml::from_str(text).map_err(|cause| {
            let before = cause.span().and_then(|span| text.get(..span.start)).unwrap_or_default();
            let line = before.matches('\n').count() + 1;
            format!("settings.toml: line {line}: {}", cause.message())
        })?;
        let mut settings = Self::default();
        let ConnectorFile {
            roots,
            allow_private,
            requests_per_second,
            max_bytes,
            max_seconds,
            gdrive_base_url,
        } = file.connector;
        if let Some(root) = roots.iter().find(|root| !root.is_absolute()) {
            return Err(format!(
                "settings.toml: connector.roots: {root:?} is not an absolute path"
            ));
        }
        let connector = &mut settings.connector;
        connector.roots = roots;
        connector.allow_private =
            Allowed::read(&allow_private).map_err(|why| format!("settings.toml: {why}"))?;
        if let Some(rate) = requests_per_second {
            if !(rate.is_finite() && rate > 0.0 && rate <= 1000.0) {
                let told = "settings.toml: connector.requests_per_second is above 0, at most 1000";
                return Err(told.to_owned());
            }
            connector.requests_per_second = rate;
        }
        connector.max_bytes = max_bytes.unwrap_or(connector.max_bytes);
        if let Some(seconds) = max_seconds {
            connector.max_total_time = Duration::from_secs(seconds);
        }
        if let Some(url) = gdrive_base_url {
            connector.gdrive_base_url = url;
        }
        let ParserFile { max_seconds, max_memory_mb, tesseract_languages } = file.parser;
        if let Some(seconds) = max_seconds {
            settings.limits.time = Duration::from_secs(seconds.max(1));
        }
        if let Some(megabytes) = max_memory_mb {
            settings.limits.memory = megabytes.max(64) << 20;
        }
        settings.tesseract_languages = tesseract_languages;
        settings.max_sent = file.documents.max_bytes;
        settings.turns = TurnSettings::read(file.guard, file.conversation)
            .map_err(|why| format!("settings.toml: {why}"))?;
        Ok(settings)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_are_read_and_what_is_wrong_is_named() {
        let settings = DocumentSettings::read(
            "[connector]\nroots = [\"/srv\"]\nallow_private = [\"10.0.0.0/8\"]\n[parser]\nmax_seconds = 5\n[documents]\nmax_bytes = 7",
        );
        let settings = settings.unwrap();
        assert_eq!(settings.connector.roots, [Path::new("/srv")]);
        assert_eq!(settings.limits.time, Duration::from_secs(5));
        assert_eq!(settings.max_sent, Some(7));
        for bad in [
            "[connector]\nroots = [\"srv\"]",
            "[connector]\nallow_private = [\"everything\"]",
            "[connector]\nrequests_per_second = 0.0",
            "[conector]",
        ] {
            let why = DocumentSettings::read(bad).unwrap_err();
            assert!(why.starts_with("settings.toml: "), "{why}");
        }
    }
}
