//! Checks and applies the answers of outside agents.
//!
//! [`read`] holds the text to its contract, [`confidence`] and [`Gate`] say whether it counts, and
//! `apply_…` puts what it says in the place of what was found without it. An answer is hostile until it
//! has been through all three: [`worth`] says so beforehand. Nothing here follows a path that it names or trusts a length.

mod agents;
mod analysis;
mod asked;
mod enhancement;
mod gate;
mod place;
mod read;

pub use self::{
    agents::apply_agents,
    analysis::{Reading, apply_analysis},
    asked::{asked, worth},
    enhancement::apply_enhancement,
    gate::{Gate, Verdict, confidence},
    read::{Answer, Unusable, contract, read},
};
