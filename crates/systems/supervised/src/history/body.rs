//! The interactions in `jobHistory.json`: one on a line, joined by a comma and a line break.
//!
//! [`Body::next`] reads them in order from any line that begins one, with one line in memory. It checks that each is a
//! JSON object with the sequence that is due. After an error, [`Body::end`] and [`Body::due`] tell how far all was well.

use std::{
    fs::File,
    io::{self, BufRead, BufReader, Read},
    os::unix::fs::FileExt,
};

use serde::Deserialize;

use super::{Error, names};

/// No interaction is longer than this.
pub(super) const LINE_LIMIT: u64 = 256 << 20;

/// Reads interactions, line by line.
pub(super) struct Body {
    reader: BufReader<Positioned>,
    line: Vec<u8>,
    at: u64,
    end: u64,
    due: u64,
    /// The line that is read next would be the first of the file: it may be empty.
    is_first: bool,
    is_over: bool,
}

/// A line that may be an interaction.
pub(super) struct Line<'a> {
    /// Where it begins.
    pub(super) at: u64,
    pub(super) text: &'a [u8],
    /// What its text says, if it is a JSON object that says so.
    pub(super) sequence: Option<u64>,
}

impl Body {
    /// Positioned the first interaction of a file.
    pub(super) fn first(file: &File, start: u64, due: u64) -> Result<Self, Error> {
        Ok(Self { is_first: true, ..Self::new(file, start, due)? })
    }

    /// Positioned a line in which interaction `due` begins.
    pub(super) fn new(file: &File, at: u64, due: u64) -> Result<Self, Error> {
        let from = Positioned::new(file, at).map_err(Error::io("read", names::FILE))?;
        let reader = BufReader::with_capacity(64 << 10, from);
        let line = Vec::new();
        Ok(Self { reader, line, at, end: at, due, is_first: false, is_over: false })
    }

    /// The next interaction: where it begins, and its text.
    pub(super) fn next(&mut self) -> Result<Option<(u64, &[u8])>, Error> {
        let due = self.due;
        let Some(Line { at, sequence, .. }) = self.next_line()? else { return Ok(None) };
        match sequence {
            Some(sequence) if sequence == due => {}
            Some(other) => {
                return Err(Error::damaged(due, format!("interaction {other} is in its place")));
            }
            None => return Err(Error::damaged(due, "its line is no interaction")),
        }
        self.due = due + 1;
        self.end = at + self.line.len() as u64;
        Ok(Some((at, &self.line)))
    }

    /// The next line, whatever it says. Fails only where the file ends in it.
    pub(super) fn next_line(&mut self) -> Result<Option<Line<'_>>, Error> {
        if self.is_over {
            return Ok(None);
        }
        self.line.clear();
        let mut limited = (&mut self.reader).take(LINE_LIMIT);
        limited.read_until(b'\n', &mut self.line).map_err(Error::io("read", names::FILE))?;
        if self.line.pop() != Some(b'\n') {
            self.is_over = true;
            return Err(Error::damaged(self.due, "the file ends in its line"));
        }
        let at = self.at;
        self.at += self.line.len() as u64 + 1;
        if self.is_first && self.line.is_empty() {
            self.is_over = true;
            return Ok(None);
        }
        self.is_first = false;
        if self.line.last() == Some(&b',') {
            self.line.pop();
        } else {
            self.is_over = true;
        }
        Ok(Some(Line { at, sequence: sequence_of(&self.line), text: &self.line }))
    }

    /// Where the last interaction that [`next`](Self::next) gave ends.
    pub(super) fn end(&self) -> u64 {
        self.end
    }

    /// The sequence that comes next.
    pub(super) fn due(&self) -> u64 {
        self.due
    }

    /// Reads on to the last interaction.
    pub(super) fn finish(&mut self) -> Result<(), Error> {
        while self.next()?.is_some() {}
        Ok(())
    }
}

#[derive(Deserialize)]
struct Numbered {
    sequence: u64,
}

/// The `sequence` of a JSON object. All of it is read: what is torn has none.
pub(super) fn sequence_of(text: &[u8]) -> Option<u64> {
    let text = std::str::from_utf8(text).ok()?;
    // An array would do for a struct.
    let numbered: Numbered = serde_json::from_str(text.strip_prefix('{').map(|_| text)?).ok()?;
    Some(numbered.sequence)
}

/// A file from a place on, whatever others do with the same handle.
pub(super) struct Positioned {
    file: File,
    at: u64,
}

impl Positioned {
    pub(super) fn new(file: &File, at: u64) -> io::Result<Self> {
        Ok(Self { file: file.try_clone()?, at })
    }
}

impl Read for Positioned {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.file.read_at(buffer, self.at)?;
        self.at += read as u64;
        Ok(read)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sequence_is_taken_from_a_whole_object_only() {
        let check = |text: &str, found: Option<u64>| {
            assert_eq!(sequence_of(text.as_bytes()), found, "{text}");
        };
        check(r#"{"sequence":7}"#, Some(7));
        check(r#"{"a":{"sequence":1},"sequence": 8, "b":"\"sequence\":2"}"#, Some(8));
        check(r#"{"sequence":7"#, None);
        check("[7]", None);
        check(r#"{"sequence":-7}"#, None);
        check(r#"{"sequence":7}{"#, None);
        check(r#"{"other":7}"#, None);
        assert_eq!(sequence_of(b"{\"sequence\":7,\"a\":\"\xff\"}"), None);
    }
}
