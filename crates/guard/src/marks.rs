//! Which mark stands for which value in a session.
//!
//! The first e-mail address of a session becomes `[EMAIL]`, the second `[EMAIL_2]`, and each keeps its mark. Values are
//! kept as hashes under a key of the caller, so that what is stored tells nothing to those who do not have the key.

use std::{collections::BTreeMap, fmt};

use serde::{Deserialize, Serialize};

use crate::PersonalData;

/// The marks given so far, and the key under which values are compared.
///
/// A session stores [`Marks::kept`], and goes on with [`Marks::resume`] under the same key. The key itself is never
/// serialised, which is why this type is not.
#[derive(Clone)]
pub struct Marks {
    key: [u8; 32],
    kept: Kept,
}

/// What a session stores of its [`Marks`]: for each kind the hashes of its values, in the order in which they came.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Kept(BTreeMap<PersonalData, Vec<String>>);

impl Marks {
    /// For a session that begins.
    #[must_use]
    pub fn new(key: [u8; 32]) -> Self {
        Self::resume(key, Kept::default())
    }

    /// For a session that goes on. Under another key than before, values get new marks.
    #[must_use]
    pub fn resume(key: [u8; 32], kept: Kept) -> Self {
        Self { key, kept }
    }

    #[must_use]
    pub fn kept(&self) -> &Kept {
        &self.kept
    }

    /// The mark of a value, which must be in its canonical form (digits without spaces, small letters).
    pub(crate) fn mark(&mut self, kind: PersonalData, canonical: &str) -> String {
        let mut hash = blake3::Hasher::new_keyed(&self.key);
        hash.update(kind.mark().as_bytes()).update(b"\0").update(canonical.as_bytes());
        let hash = hex::encode(&hash.finalize().as_bytes()[..16]);
        let given = self.kept.0.entry(kind).or_default();
        let number = given.iter().position(|it| *it == hash).unwrap_or_else(|| {
            given.push(hash);
            given.len() - 1
        });
        match number {
            0 => format!("[{}]", kind.mark()),
            more => format!("[{}_{}]", kind.mark(), more + 1),
        }
    }
}

impl fmt::Debug for Marks {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Marks").field("kept", &self.kept).finish_non_exhaustive()
    }
}
