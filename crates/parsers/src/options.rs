//! What the caller wishes, and what a file may take.

use std::{fmt, path::PathBuf, time::Duration};

use consign_contracts::crew::FileType;
use serde::{Deserialize, Serialize};

/// How to read a file.
#[derive(Clone, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Options {
    /// What the caller takes the file for. The content decides; a difference is a warning.
    #[serde(with = "wish", default)]
    pub wished: Option<FileType>,
    /// The file's name. It decides only between kinds of text that look alike (Markdown, source code, plain text).
    pub name: Option<String>,
    /// The password of an encrypted file.
    pub password: Option<String>,
    /// Whether and how pictures of text are read.
    pub ocr: Ocr,
    /// What the file may take.
    pub limits: Limits,
}

impl fmt::Debug for Options {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Options")
            .field("wished", &self.wished)
            .field("name", &self.name)
            .field("password", &self.password.as_ref().map(|_| "***"))
            .field("ocr", &self.ocr)
            .field("limits", &self.limits)
            .finish()
    }
}

/// Whether and how pictures of text are read.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Ocr {
    /// When.
    pub when: When,
    /// How well.
    pub quality: Quality,
    /// The folder with the models of the recogniser that works in the process.
    pub models: Option<PathBuf>,
    /// The program `tesseract`, when it is installed.
    pub tesseract: Option<PathBuf>,
    /// Languages for `tesseract`, as `eng+deu`.
    pub languages: Option<String>,
}

/// When pictures of text are read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum When {
    /// Never.
    Off,
    /// Where a page has no text that can be used.
    #[default]
    Needed,
    /// On every page, also where it has text.
    Always,
}

/// How well pictures of text are read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Quality {
    /// By `tesseract` when it is installed, else by the models.
    #[default]
    Fast,
    /// By the models when they are there, else by `tesseract`.
    Best,
}

/// What a file may take. Memory and time hold in a child process only; the rest always.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Limits {
    /// Bytes of memory of the process that reads it.
    pub memory: u64,
    /// Time to read it.
    pub time: Duration,
    /// Things inside things: elements of a page, parts of a message.
    pub depth: usize,
    /// How many times longer a packed part may be once it is unpacked, past `free`.
    pub expansion: u64,
    /// Unpacked bytes of an archive that are always allowed.
    pub free: u64,
    /// Files in an archive.
    pub entries: usize,
    /// Bytes of text that may come out.
    pub text: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            memory: 1 << 30,
            time: Duration::from_secs(120),
            depth: 512,
            expansion: 100,
            free: 100 * 1024,
            entries: 1000,
            text: 64 << 20,
        }
    }
}

/// The wish travels as the contract's word.
mod wish {
    use consign_contracts::crew::FileType;
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    #[expect(clippy::ref_option, reason = "serde gives the field by reference")]
    pub(super) fn serialize<S: Serializer>(
        wished: &Option<FileType>,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        wished.map(FileType::as_str).serialize(serializer)
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<Option<FileType>, D::Error> {
        let word = Option::<String>::deserialize(deserializer)?;
        word.map(|word| {
            FileType::from_word(&word)
                .ok_or_else(|| serde::de::Error::custom("there is no such file type"))
        })
        .transpose()
    }
}
