//! The first rung of the repair ladder: reads the JSON value that a model's text contains.
//!
//! [`read`] mends what can be mended without inventing, altering or losing a value, and reports what it
//! mended; [`read_strictly`] mends nothing. Where two readings are possible it refuses, and
//! [`errors_for_model`] words the reason for the second rung. `docs/repair.md` has the rules.
//!
//! Nothing here calls a model, waits or keeps state. The strict reader of `consign_contracts` checks
//! every value that is returned, and the work is linear in the text's length.

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
