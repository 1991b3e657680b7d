//! The ids of jobs: UUIDs, random or derived from an idempotency key.

use consign_engine::{Owner, RunId};
use sha2::{Digest, Sha256};
use uuid::{Builder, Uuid};

use crate::{error::Refused, machine::random};

/// The longest idempotency key.
const LONGEST_KEY: usize = 255;

/// A new id.
pub(super) fn random_id() -> RunId {
    run_id(Builder::from_random_bytes(random()).into_uuid())
}

/// The id that an owner's key stands for. The same key always gives the same id, so the store itself sees to it that
/// there is one job for it, however many submissions come at once.
pub(super) fn keyed_id(owner: &Owner, key: &str) -> Result<RunId, Refused> {
    let printable = key.bytes().all(|byte| (b' '..=b'~').contains(&byte));
    if !(1..=LONGEST_KEY).contains(&key.len()) || !printable {
        let told = format!("an idempotency key has 1 to {LONGEST_KEY} printable ASCII characters");
        return Err(Refused::usage("VALIDATION_ERROR", told));
    }
    let mut digest = Sha256::new();
    // The length keeps an owner and a key apart, whatever is in them.
    digest.update(b"consign agent job\0");
    digest.update(owner.as_str().len().to_be_bytes());
    digest.update(owner.as_str());
    digest.update(key);
    let digest = digest.finalize();
    let mut bytes = [0; 16];
    bytes.copy_from_slice(&digest[..16]);
    Ok(run_id(Builder::from_custom_bytes(bytes).into_uuid()))
}

/// The id that was given, if it has the form of one.
pub(super) fn read_id(typed: &str) -> Option<RunId> {
    let hyphenated = typed.len() == uuid::fmt::Hyphenated::LENGTH;
    hyphenated.then(|| Uuid::try_parse(typed).ok()).flatten().map(run_id)
}

fn run_id(id: Uuid) -> RunId {
    RunId::new(id.hyphenated().to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_is_one_id_of_its_owner() {
        let id = |owner: &str, key: &str| keyed_id(&Owner::from(owner), key).ok();
        assert!(id("user:a", "k").is_some());
        assert_eq!(id("user:a", "k"), id("user:a", "k"));
        assert_ne!(id("user:a", "k"), id("user:b", "k"));
        assert_ne!(id("user:a", "ak"), id("user:aa", "k"));
        assert_eq!(id("user:a", "k").and_then(|id| read_id(id.as_str())), id("user:a", "k"));
        for bad in ["", "a\nb", "é", &"x".repeat(256)] {
            assert_eq!(id("user:a", bad), None, "{bad:?}");
        }
        assert!(id("user:a", &"x".repeat(255)).is_some());
    }

    #[test]
    fn only_uuids_are_ids() {
        let id = random_id();
        assert_eq!(read_id(id.as_str()), Some(id.clone()));
        assert_eq!(read_id(&id.as_str().to_uppercase()), Some(id));
        for bad in
            ["", "abc", "00000000000000000000000000000000", "../../../../../../../../../../etc/pas"]
        {
            assert_eq!(read_id(bad), None, "{bad}");
        }
    }
}
