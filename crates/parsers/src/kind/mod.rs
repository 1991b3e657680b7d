//! What a file is, by its content.
//!
//! A name decides only between kinds of text that nothing else tells apart: Markdown, source code in some language and
//! plain text. A name never makes a PDF of what is none.

mod languages;
mod text;

use consign_contracts::crew::FileType;
use serde::{Deserialize, Serialize};

use crate::{ParseError, archive::Archive, decode, decode::Decoded, options::Limits};

/// What a file is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// A PDF.
    Pdf,
    /// A web page.
    Html,
    /// A text of Word.
    Docx,
    /// Slides of PowerPoint.
    Pptx,
    /// Sheets of Excel.
    Xlsx,
    /// A table as text.
    Csv,
    /// Plain text.
    Txt,
    /// Markdown.
    Markdown,
    /// An e-mail.
    Eml,
    /// Source code.
    Code,
    /// A picture, which may show text.
    Image,
}

impl Kind {
    /// Every kind.
    pub const ALL: [Self; 11] = [
        Self::Pdf,
        Self::Html,
        Self::Docx,
        Self::Pptx,
        Self::Xlsx,
        Self::Csv,
        Self::Txt,
        Self::Markdown,
        Self::Eml,
        Self::Code,
        Self::Image,
    ];

    /// The word in metadata.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Pdf => "pdf",
            Self::Html => "html",
            Self::Docx => "docx",
            Self::Pptx => "pptx",
            Self::Xlsx => "xlsx",
            Self::Csv => "csv",
            Self::Txt => "txt",
            Self::Markdown => "markdown",
            Self::Eml => "eml",
            Self::Code => "code",
            Self::Image => "image",
        }
    }

    /// What it travels as, in contracts that know five kinds only.
    #[must_use]
    pub const fn file_type(self) -> FileType {
        match self {
            // A picture of a page is read as a scanned PDF is.
            Self::Pdf | Self::Image => FileType::Pdf,
            Self::Html => FileType::Html,
            Self::Docx => FileType::Docx,
            Self::Pptx => FileType::Pptx,
            Self::Xlsx | Self::Csv | Self::Txt | Self::Markdown | Self::Eml | Self::Code => {
                FileType::Txt
            }
        }
    }
}

impl std::fmt::Display for Kind {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.as_str())
    }
}

/// A file, as far as it must be read to know what it is.
pub(crate) enum Content<'a> {
    Pdf,
    Image,
    Packed(Kind, Archive<'a>),
    Text(Kind, Decoded, Option<&'static str>),
}

/// Looks what a file is.
pub(crate) fn look<'a>(
    bytes: &'a [u8],
    name: Option<&str>,
    limits: &Limits,
) -> Result<Content<'a>, ParseError> {
    if bytes.iter().all(u8::is_ascii_whitespace) {
        return Err(ParseError::unsupported("the file is empty"));
    }
    let head = bytes.get(..1024).unwrap_or(bytes);
    if head.windows(5).any(|window| window == b"%PDF-") {
        return Ok(Content::Pdf);
    }
    if bytes.starts_with(b"PK\x03\x04") || bytes.starts_with(b"PK\x05\x06") {
        return packed(bytes, limits);
    }
    if bytes.starts_with(&[0xd0, 0xcf, 0x11, 0xe0, 0xa1, 0xb1, 0x1a, 0xe1]) {
        return Err(compound(bytes));
    }
    if is_image(bytes) {
        return Ok(Content::Image);
    }
    if let Some(known) = recognised(bytes) {
        return Err(ParseError::unsupported(format!("this is {known}, which is not read")));
    }
    let Some(decoded) = decode::decode(bytes, text::declared_encoding(head).as_deref()) else {
        return Err(ParseError::unsupported(
            "this is neither a document of a kind that is read nor text",
        ));
    };
    let (kind, language) = text::kind(&decoded.text, name);
    Ok(Content::Text(kind, decoded, language))
}

fn packed<'a>(bytes: &'a [u8], limits: &Limits) -> Result<Content<'a>, ParseError> {
    let archive = Archive::open(bytes, limits)?;
    let has = |start: &str| archive.names().any(|name| name.starts_with(start));
    let kind = if has("word/") {
        Kind::Docx
    } else if has("ppt/") {
        Kind::Pptx
    } else if has("xl/") {
        Kind::Xlsx
    } else if has("META-INF/container.xml") {
        return Err(ParseError::unsupported("this is an EPUB book, which is not read"));
    } else if has("mimetype") && has("content.xml") {
        return Err(ParseError::unsupported(
            "this is an OpenDocument file; save it as DOCX, PPTX or XLSX",
        ));
    } else {
        return Err(ParseError::unsupported(
            "this is a ZIP archive of other files; unpack it and take the folder",
        ));
    };
    Ok(Content::Packed(kind, archive))
}

/// What an OLE file is: a sealed new Office file or an old one.
fn compound(bytes: &[u8]) -> ParseError {
    let names = |name: &str| {
        let wide: Vec<u8> = name.encode_utf16().flat_map(u16::to_le_bytes).collect();
        bytes.windows(wide.len()).any(|window| window == wide)
    };
    if names("EncryptedPackage") {
        return ParseError::Encrypted {
            details: "the Office file has a password; save it without one".to_owned(),
        };
    }
    let what = if names("WordDocument") {
        "an old Word file (.doc); save it as DOCX"
    } else if names("PowerPoint Document") {
        "an old PowerPoint file (.ppt); save it as PPTX"
    } else if names("Workbook") || names("Book") {
        "an old Excel file (.xls); save it as XLSX"
    } else if names("__substg1.0_") || names("__properties_version1.0") {
        "a message of Outlook (.msg); save it as EML"
    } else {
        "an OLE file, which is not read"
    };
    ParseError::unsupported(format!("this is {what}"))
}

fn is_image(bytes: &[u8]) -> bool {
    bytes.starts_with(b"\x89PNG\r\n\x1a\n") || bytes.starts_with(&[0xff, 0xd8, 0xff])
}

/// Kinds that are known and not read, so that the message can name them.
fn recognised(bytes: &[u8]) -> Option<&'static str> {
    const KNOWN: [(&[u8], &str); 17] = [
        (b"\x1f\x8b", "a gzip archive"),
        (b"BZh", "a bzip2 archive"),
        (b"\xfd7zXZ\0", "an xz archive"),
        (b"\x28\xb5\x2f\xfd", "a zstd archive"),
        (b"7z\xbc\xaf\x27\x1c", "a 7z archive"),
        (b"Rar!\x1a\x07", "a RAR archive"),
        (b"GIF8", "a GIF picture"),
        (b"II*\0", "a TIFF picture"),
        (b"MM\0*", "a TIFF picture"),
        (b"OggS", "an Ogg recording"),
        (b"ID3", "an MP3 recording"),
        (b"fLaC", "a FLAC recording"),
        (b"RIFF", "a RIFF file (sound, film or WebP picture)"),
        (b"\x7fELF", "a program"),
        (b"SQLite format 3\0", "a SQLite database"),
        (b"{\\rtf", "an RTF file; save it as DOCX"),
        (b"%!PS", "a PostScript file; save it as PDF"),
    ];
    KNOWN
        .iter()
        .find(|(magic, _)| bytes.starts_with(magic))
        .map(|(_, name)| *name)
        .or_else(|| (bytes.get(4..8) == Some(b"ftyp")).then_some("a film or a picture of a phone"))
}
