//! The names that git gives to commits and to the contents of files.

use std::fmt;

use crate::Error;

/// Forty or sixty-four hexadecimal digits.
fn checked(text: &str) -> Option<String> {
    let digits = text.bytes().all(|byte| byte.is_ascii_hexdigit());
    (digits && matches!(text.len(), 40 | 64)).then(|| text.to_ascii_lowercase())
}

/// The id of a commit.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct CommitId(String);

impl CommitId {
    /// Reads an id in full: abbreviated ids are refused.
    pub fn parse(text: &str) -> Result<Self, Error> {
        let id = checked(text).ok_or_else(|| Error::invalid("it has no valid id of a commit"));
        id.map(Self)
    }

    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// The id of what is in a file, whatever its name is.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct BlobId(String);

impl BlobId {
    pub fn parse(text: &str) -> Result<Self, Error> {
        let id = checked(text).ok_or_else(|| Error::invalid("it has no valid id of a file"));
        id.map(Self)
    }

    /// The id that git gives to these bytes.
    #[must_use]
    pub fn of(content: &[u8]) -> Self {
        let id = git2::Oid::hash_object(git2::ObjectType::Blob, content);
        Self(id.expect("hashing bytes in memory cannot fail").to_string())
    }

    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

macro_rules! shown {
    ($name:ident) => {
        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(&self.0)
            }
        }
        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(&self.0)
            }
        }
    };
}
shown!(CommitId);
shown!(BlobId);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_is_complete_and_in_lower_case() {
        let id = "ABCDEF0123456789abcdef0123456789abcdef01";
        assert_eq!(CommitId::parse(id).unwrap().as_str(), id.to_lowercase());
        for bad in ["", "abc", "main", &format!("{id}0"), &id.replace('A', "g")] {
            assert!(CommitId::parse(bad).is_err() && BlobId::parse(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn the_id_of_content_is_the_one_of_git() {
        assert_eq!(BlobId::of(b"").as_str(), "e69de29bb2d1d6434b8b29ae775ad8c2e48c5391");
        assert_eq!(BlobId::of(b"hello\n").as_str(), "ce013625030ba8dba906f756967f9e9ca394464a");
    }
}
