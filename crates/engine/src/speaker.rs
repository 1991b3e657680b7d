//! The speaker of a delivery to a run: the name that the journal keeps, and the role in which it speaks.
//!
//! Surfaces make a [`Speaker`] from what they know of the caller. What is meant for a person is refused from
//! a program that acts as an agent, whatever its name is.

use serde::{Deserialize, Serialize};

use crate::{Actor, Fault};

/// The person or program that answers, raises, advises, signals or cancels.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Speaker {
    /// The surface and the name there, such as `cli:anna@host`.
    pub actor: Actor,
    pub role: Role,
}

/// The role in which a [`Speaker`] speaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Role {
    Person,
    /// A program that does an agent's work.
    Agent,
}

impl Role {
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Person => "person",
            Self::Agent => "agent",
        }
    }
}

impl Speaker {
    #[must_use]
    pub fn person(actor: impl Into<Actor>) -> Self {
        Self { actor: actor.into(), role: Role::Person }
    }

    #[must_use]
    pub fn agent(actor: impl Into<Actor>) -> Self {
        Self { actor: actor.into(), role: Role::Agent }
    }

    /// Refuses what only a person may do. `what` is the subject of the sentence, such as `raising a limit`.
    pub fn as_person(&self, what: &str) -> Result<(), Fault> {
        match self.role {
            Role::Person => Ok(()),
            Role::Agent => {
                let text = format!("{what} is for a person, and {} acts as an agent", self.actor);
                Err(Fault::permanent("PERSON_REQUIRED", text))
            }
        }
    }
}
