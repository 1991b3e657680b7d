//! The first rung of the repair ladder: a model's text, read as the JSON that it holds.
//!
//! [`read`] mends what can be mended without inventing, altering or losing a value, and says what it
//! mended; [`read_strictly`] is for those who want nothing mended. Where two readings are possible it refuses, and [`errors_for_model`] puts the reason in
//! words for the second rung. `docs/repair.md` has the rules and what they come to.
//!
//! Nothing here calls anybody, waits or remembers. The strict reader of `consign_contracts` is the
//! last judge of everything that is let through, and the work is linear in the text's length.

mod find;
mod mend;
mod proof;
mod read;
mod repairs;
mod splice;
mod tell;
mod unmendable;

pub use read::{Expected, Mended, read, read_strictly};
pub use repairs::Repair;
pub use tell::errors_for_model;
pub use unmendable::{Position, Unmendable};
