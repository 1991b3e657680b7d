//! The content of a blob file: the text, compressed with zstd. [`unpack`] never allocates more than
//! the caller allows, whatever the file claims.

use std::io::{self, Read};

const LEVEL: i32 = 3;

pub(super) fn pack(text: &str) -> io::Result<Vec<u8>> {
    zstd::bulk::compress(text.as_bytes(), LEVEL)
}

/// Decompresses a file. A few bytes can claim to be petabytes, so at most `most` are unpacked.
pub(super) fn unpack(packed: &[u8], most: usize) -> io::Result<String> {
    let mut text = String::new();
    let unpacked = zstd::Decoder::new(packed)?.take(most as u64 + 1).read_to_string(&mut text)?;
    if unpacked > most {
        return Err(io::ErrorKind::FileTooLarge.into());
    }
    Ok(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_packed_comes_out_the_same() {
        let text = "to be, or not to be ".repeat(10_000);
        let packed = pack(&text).unwrap();
        assert!(packed.len() < text.len() / 100);
        assert_eq!(unpack(&packed, text.len()).unwrap(), text);
    }

    #[test]
    fn a_file_that_unpacks_to_more_than_is_kept_is_refused() {
        let packed = pack(&"x".repeat(1_001)).unwrap();
        assert!(unpack(&packed, 1_000).is_err());
    }
}
