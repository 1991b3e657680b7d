//! The journal of a run: what happened, in order, each event chained to the one before.

mod body;
mod chain;
mod record;

pub use body::*;
pub use chain::{Break, Chain, Hash, Salt};
pub use record::{Content, Record};
