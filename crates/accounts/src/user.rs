//! Users: their ids and roles.

use std::fmt;

use consign_engine::{At, Entropy, Owner};
use uuid::{Builder, Uuid};

/// A random UUID (version 4).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct UserId(Uuid);

impl UserId {
    #[must_use]
    pub fn random(entropy: &dyn Entropy) -> Self {
        Self(random_uuid(entropy))
    }

    /// Reads an id as it is printed: 36 characters, in lower case.
    #[must_use]
    pub fn from_word(word: &str) -> Option<Self> {
        let id = Uuid::try_parse(word).ok()?;
        (id.to_string() == word).then_some(Self(id))
    }

    /// The owner of this user's runs.
    #[must_use]
    pub fn owner(&self) -> Owner {
        Owner::new(format!("user:{self}"))
    }
}

impl fmt::Display for UserId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

pub(crate) fn random_uuid(entropy: &dyn Entropy) -> Uuid {
    let mut bytes = [0; 16];
    entropy.fill(&mut bytes);
    Builder::from_random_bytes(bytes).into_uuid()
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Role {
    Admin,
    Member,
}

impl Role {
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Admin => "admin",
            Self::Member => "member",
        }
    }

    #[must_use]
    pub fn from_word(word: &str) -> Option<Self> {
        [Self::Admin, Self::Member].into_iter().find(|role| role.as_str() == word)
    }
}

/// A person, or a program that signs in like one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct User {
    pub id: UserId,
    /// As it was given. Mail goes to this address, whatever letters a later request uses.
    pub email: String,
    pub role: Role,
    pub is_verified: bool,
    pub is_disabled: bool,
    pub created_at: At,
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Sevens;

    impl Entropy for Sevens {
        fn fill(&self, bytes: &mut [u8]) {
            bytes.fill(0x77);
        }
    }

    #[test]
    fn an_id_is_a_uuid_of_version_4_and_reads_back_as_printed_only() {
        let id = UserId::random(&Sevens);
        assert_eq!(id.to_string(), "77777777-7777-4777-b777-777777777777");
        assert_eq!(id.owner().as_str(), "user:77777777-7777-4777-b777-777777777777");
        assert_eq!(UserId::from_word(&id.to_string()), Some(id));
        for other in [
            "",
            "7",
            "77777777777747777777777777777777",
            "{77777777-7777-4777-b777-777777777777}",
            "77777777-7777-4777-B777-777777777777",
        ] {
            assert_eq!(UserId::from_word(other), None, "{other}");
        }
    }

    #[test]
    fn roles_are_words() {
        for role in [Role::Admin, Role::Member] {
            assert_eq!(Role::from_word(role.as_str()), Some(role));
        }
        assert_eq!(Role::from_word("Admin"), None);
    }
}
