//! Reads lines of a file.

use crate::{Error, Repository, root, words};

/// The largest file that can be read by name: larger than what is searched.
const LARGEST: u64 = 16 << 20;
const MOST_LINES: usize = 5_000;
const MOST_BYTES: usize = 1 << 20;
/// Characters of one line.
const LONGEST_LINE: usize = 2_000;

/// Some lines of a file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Text {
    pub path: String,
    /// The first and the last line that are here, from 1; both 0 if there is none.
    pub from: usize,
    pub to: usize,
    pub total_lines: usize,
    /// Without their ends.
    pub lines: Vec<String>,
    /// Lines that were asked for are left out, or cut.
    pub truncated: bool,
    /// The file is not UTF-8; what could not be read is U+FFFD.
    pub lossy: bool,
}

impl Repository {
    /// Lines `from` to `to` of a file, both from 1 and included; beyond its end there is nothing.
    ///
    /// # Errors
    /// [`Error::Outside`], [`Error::Missing`], [`Error::Binary`], [`Error::TooLarge`].
    pub fn read_file(&self, path: &str, from: usize, to: usize) -> Result<Text, Error> {
        self.cancel.check()?;
        let bytes = self.read_text(path, LARGEST)?;
        let path = root::clean(path)?;
        let from = from.max(1);
        let mut text = Text { path, from: 0, to: 0, ..Text::default() };
        let mut taken = 0;
        for line in lines(&bytes) {
            text.total_lines += 1;
            if text.total_lines < from || text.total_lines > to {
                continue;
            }
            if text.lines.len() >= MOST_LINES || taken >= MOST_BYTES {
                text.truncated = true;
                continue;
            }
            text.truncated |= line.len() > LONGEST_LINE;
            text.lossy |= std::str::from_utf8(line).is_err();
            let line = words::excerpt(line, 0, LONGEST_LINE);
            taken += line.len();
            text.lines.push(line);
            text.to = text.total_lines;
        }
        if !text.lines.is_empty() {
            text.from = from;
        }
        Ok(text)
    }
}

/// Lines without their ends. What follows the last end is a line if it has anything.
pub(crate) fn lines(bytes: &[u8]) -> impl Iterator<Item = &[u8]> {
    let mut rest = bytes;
    std::iter::from_fn(move || {
        if rest.is_empty() {
            return None;
        }
        let end = memchr::memchr(b'\n', rest).unwrap_or(rest.len());
        let line = &rest[..end];
        rest = rest.get(end + 1..).unwrap_or_default();
        Some(line.strip_suffix(b"\r").unwrap_or(line))
    })
}
