//! Questions and attacks put to the program as a user puts them: `consign ingest`, then `consign ask`.
//!
//! [`questions`] asks everything of a corpus and judges the answers; each citation is held against the stored text here, by
//! its bytes, and not by the verifier. [`attacks`] looks for what an attack wanted said. It knows the program only by its
//! commands, so the acceptance tests include it too.

pub(crate) mod attacks;
mod corpus;
mod desk;
pub(crate) mod questions;
mod tally;

pub(crate) use self::{
    corpus::{Attack, Question, attacks as read_attacks, folder, questions as read_questions},
    desk::{Desk, Said},
    tally::Tally,
};

pub(crate) type Trouble = Box<dyn std::error::Error + Send + Sync>;
