//! What goes through the pipes: frames of a length and that many bytes.
//!
//! To the process: the options as JSON, then the file. From it: one answer as JSON.

use std::io::{self, Read, Write};

use serde::{Deserialize, Serialize};

use crate::{Document, ParseError};

/// What the process says about a file.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Answer {
    Read(Box<Document>),
    Failed(ParseError),
}

pub(super) fn write(mut to: impl Write, bytes: &[u8]) -> io::Result<()> {
    to.write_all(&(bytes.len() as u64).to_le_bytes())?;
    to.write_all(bytes)
}

/// The next frame. None when the other side has closed the pipe.
pub(super) fn read(mut from: impl Read, most: u64) -> io::Result<Option<Vec<u8>>> {
    let mut length = [0; 8];
    let mut filled = 0;
    while let Some(rest) = length.get_mut(filled..).filter(|rest| !rest.is_empty()) {
        match from.read(rest)? {
            0 if filled == 0 => return Ok(None),
            0 => return Err(io::ErrorKind::UnexpectedEof.into()),
            read => filled += read,
        }
    }
    let length = u64::from_le_bytes(length);
    if length > most {
        return Err(io::Error::new(io::ErrorKind::InvalidData, "the message is too long"));
    }
    let mut bytes = Vec::new();
    from.take(length).read_to_end(&mut bytes)?;
    if bytes.len() as u64 != length {
        return Err(io::ErrorKind::UnexpectedEof.into());
    }
    Ok(Some(bytes))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_frame_is_read_as_it_was_written_or_refused() {
        let mut pipe = Vec::new();
        write(&mut pipe, b"hello").unwrap();
        write(&mut pipe, b"").unwrap();
        let mut from = pipe.as_slice();
        assert_eq!(read(&mut from, 5).unwrap().unwrap(), b"hello");
        assert_eq!(read(&mut from, 5).unwrap().unwrap(), b"");
        assert!(read(&mut from, 5).unwrap().is_none());
        assert!(read(pipe.as_slice(), 4).is_err());
        for cut in 1..12 {
            assert!(read(&pipe[..cut], 5).is_err(), "cut at {cut}");
        }
    }
}
