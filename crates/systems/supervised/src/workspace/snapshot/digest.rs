//! SHA-256, as a value.

use std::{
    fmt,
    io::{self, Read},
    str::FromStr,
};

use serde::{Deserialize, Deserializer, Serialize, Serializer, de};
use sha2::{Digest as _, Sha256};

/// The SHA-256 of some bytes. Its text is 64 small hexadecimal digits.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct Digest([u8; 32]);

/// How much is read at a time.
pub(super) const CHUNK: usize = 64 * 1024;

impl Digest {
    pub(super) fn of(bytes: &[u8]) -> Self {
        Self(Sha256::digest(bytes).into())
    }

    pub(super) fn end(hasher: Sha256) -> Self {
        Self(hasher.finalize().into())
    }

    /// Of all that is read, and how many bytes that was. No more than `most` bytes and one are read.
    pub(super) fn read(from: impl Read, most: u64) -> io::Result<(Self, u64)> {
        let (mut from, mut hasher) = (from.take(most.saturating_add(1)), Sha256::new());
        let (mut chunk, mut bytes) = (vec![0; CHUNK], 0);
        loop {
            match from.read(&mut chunk) {
                Ok(0) => return Ok((Self::end(hasher), bytes)),
                Ok(read) => {
                    hasher.update(&chunk[..read]);
                    bytes += read as u64;
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
    }
}

impl fmt::Display for Digest {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        to.write_str(&hex::encode(self.0))
    }
}

impl fmt::Debug for Digest {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, to)
    }
}

/// The text is not 64 small hexadecimal digits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("not 64 small hexadecimal digits")]
pub struct NotADigest;

impl FromStr for Digest {
    type Err = NotADigest;

    fn from_str(text: &str) -> Result<Self, NotADigest> {
        let mut bytes = [0; 32];
        hex::decode_to_slice(text, &mut bytes).map_err(|_| NotADigest)?;
        let has_capitals = text.bytes().any(|byte| byte.is_ascii_uppercase());
        if has_capitals { Err(NotADigest) } else { Ok(Self(bytes)) }
    }
}

impl Serialize for Digest {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Digest {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        String::deserialize(from)?.parse().map_err(de::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_digest_is_its_text() {
        let empty = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";
        assert_eq!(Digest::of(b"").to_string(), empty);
        assert_eq!(empty.parse(), Ok(Digest::of(b"")));
        for broken in ["", "e3", &empty.to_uppercase(), "../../etc/passwd"] {
            assert_eq!(broken.parse::<Digest>(), Err(NotADigest), "{broken}");
        }
    }

    #[test]
    fn reading_stops_one_byte_after_the_most() {
        let endless = std::io::repeat(b'a');
        assert_eq!(Digest::read(endless, 3).unwrap(), (Digest::of(b"aaaa"), 4));
        assert_eq!(Digest::read(&b"ab"[..], 3).unwrap(), (Digest::of(b"ab"), 2));
    }
}
