//! ZIP archives of strangers: opened within limits, also when their end is missing.
//!
//! Nothing is unpacked to the disk, and no name in an archive is ever used as a path.

use std::{
    collections::BTreeMap,
    io::{Cursor, Read},
};

use flate2::read::DeflateDecoder;

use crate::{Limit, ParseError, options::Limits};

/// An archive, with what may still be unpacked of it.
pub(crate) struct Archive<'a> {
    parts: BTreeMap<String, Part<'a>>,
    /// Whether the end of the archive is missing.
    pub(crate) damaged: bool,
}

struct Part<'a> {
    packed: &'a [u8],
    deflated: bool,
    sealed: bool,
    /// The most bytes it may be once it is unpacked.
    most: u64,
}

/// A part of an archive, unpacked.
pub(crate) struct Unpacked {
    pub(crate) bytes: Vec<u8>,
    /// Whether some of it is missing.
    pub(crate) cut: bool,
}

impl<'a> Archive<'a> {
    pub(crate) fn open(bytes: &'a [u8], limits: &Limits) -> Result<Self, ParseError> {
        let (listed, damaged) = match listed(bytes, limits)? {
            Some(parts) => (parts, false),
            None => (scanned(bytes, limits)?, true),
        };
        let mut parts = BTreeMap::new();
        let mut whole = 0_u64;
        for (name, mut part, claimed) in listed {
            let packed = part.packed.len() as u64;
            part.most = (packed.saturating_mul(limits.expansion)).max(limits.free);
            whole = whole.saturating_add(claimed);
            if claimed > part.most {
                return Err(too_long(&name, limits));
            }
            parts.entry(name).or_insert(part);
        }
        let most = (bytes.len() as u64).saturating_mul(limits.expansion).max(limits.free);
        if whole > most {
            return Err(too_long("the archive", limits));
        }
        Ok(Self { parts, damaged })
    }

    pub(crate) fn names(&self) -> impl Iterator<Item = &str> {
        self.parts.keys().map(String::as_str)
    }

    /// A part, unpacked. None when there is no such part.
    pub(crate) fn read(&self, name: &str, limits: &Limits) -> Result<Option<Unpacked>, ParseError> {
        let Some(part) = self.parts.get(name) else { return Ok(None) };
        if part.sealed {
            return Err(ParseError::Encrypted {
                details: "the file has a password; save it without one".to_owned(),
            });
        }
        if !part.deflated {
            return Ok(Some(Unpacked { bytes: part.packed.to_vec(), cut: self.damaged }));
        }
        let mut bytes = Vec::new();
        let mut reader = DeflateDecoder::new(part.packed).take(part.most + 1);
        // What came before the fault stays in `bytes`.
        let cut = reader.read_to_end(&mut bytes).is_err();
        if bytes.len() as u64 > part.most {
            return Err(too_long(name, limits));
        }
        Ok(Some(Unpacked { bytes, cut }))
    }
}

fn too_long(what: &str, limits: &Limits) -> ParseError {
    let details =
        format!("{what} is more than {} times longer once it is unpacked", limits.expansion);
    ParseError::limited(Limit::Expansion, details)
}

fn too_many(limits: &Limits) -> ParseError {
    ParseError::limited(
        Limit::Entries,
        format!("the archive has more than {} files", limits.entries),
    )
}

type Listed<'a> = Vec<(String, Part<'a>, u64)>;

/// The parts that the directory at the end lists. None when there is no directory that can be used.
fn listed<'a>(bytes: &'a [u8], limits: &Limits) -> Result<Option<Listed<'a>>, ParseError> {
    // The count stands in the last record. It is read first, so that a directory of millions is never built.
    if entries_claimed(bytes).is_some_and(|claimed| claimed > limits.entries) {
        return Err(too_many(limits));
    }
    let Ok(mut archive) = zip::ZipArchive::new(Cursor::new(bytes)) else { return Ok(None) };
    if archive.len() > limits.entries {
        return Err(too_many(limits));
    }
    let mut parts = Vec::new();
    for at in 0..archive.len() {
        let Ok(file) = archive.by_index_raw(at) else { continue };
        if file.is_dir() {
            continue;
        }
        let deflated = file.compression() == zip::CompressionMethod::Deflated;
        if !deflated && file.compression() != zip::CompressionMethod::Stored {
            continue;
        }
        let Some(start) = file.data_start().and_then(|start| usize::try_from(start).ok()) else {
            continue;
        };
        let length = usize::try_from(file.compressed_size()).unwrap_or(usize::MAX);
        let end = start.saturating_add(length).min(bytes.len());
        let Some(packed) = bytes.get(start..end) else { continue };
        let part = Part { packed, deflated, sealed: file.encrypted(), most: 0 };
        let Ok(name) = file.name() else { continue };
        parts.push((name.into_owned(), part, file.size()));
    }
    Ok((!parts.is_empty()).then_some(parts))
}

fn entries_claimed(bytes: &[u8]) -> Option<usize> {
    let from = bytes.len().saturating_sub(66_000);
    let tail = bytes.get(from..)?;
    let at = tail.windows(4).rposition(|window| window == b"PK\x05\x06")?;
    let count = u16::from_le_bytes(tail.get(at + 10..at + 12)?.try_into().ok()?);
    (count != u16::MAX).then_some(usize::from(count))
}

/// The parts of an archive without an end: by the headers before each.
fn scanned<'a>(bytes: &'a [u8], limits: &Limits) -> Result<Listed<'a>, ParseError> {
    let mut parts = Vec::new();
    let mut starts: Vec<usize> = memchr_headers(bytes);
    starts.push(bytes.len());
    if starts.len() > limits.entries + 1 {
        return Err(too_many(limits));
    }
    for pair in starts.windows(2) {
        let &[start, next] = pair else { continue };
        let Some(header) = bytes.get(start..start + 30) else { break };
        let word = |at: usize| {
            header.get(at..at + 2).map_or(0, |two| usize::from(two[0]) | usize::from(two[1]) << 8)
        };
        let (flags, method, name_length, extra) = (word(6), word(8), word(26), word(28));
        let size = word(18) | word(20) << 16;
        let name_from = start + 30;
        let data = name_from + name_length + extra;
        let (Some(name), Some(mut packed)) =
            (bytes.get(name_from..name_from + name_length), bytes.get(data..next))
        else {
            break;
        };
        // A stored part has no end of its own. The length may also stand behind the part; then it is zero here.
        if size > 0 && size < packed.len() {
            packed = packed.get(..size).unwrap_or(packed);
        }
        let name = String::from_utf8_lossy(name).into_owned();
        if name.ends_with('/') || !matches!(method, 0 | 8) {
            continue;
        }
        let part = Part { packed, deflated: method == 8, sealed: flags & 1 == 1, most: 0 };
        parts.push((name, part, 0));
    }
    Ok(parts)
}

fn memchr_headers(bytes: &[u8]) -> Vec<usize> {
    let mut found = Vec::new();
    let mut from = 0;
    while let Some(at) =
        bytes.get(from..).and_then(|rest| rest.windows(4).position(|four| four == b"PK\x03\x04"))
    {
        found.push(from + at);
        from += at + 4;
    }
    found
}
