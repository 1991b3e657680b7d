//! What the tests of durability share. Nothing here knows the crates behind the binary.

mod chance;
pub(crate) mod clock;
mod effects;
mod home;
mod look;
mod steward;
mod trace;
mod witness;

pub(crate) use chance::Chance;
pub(crate) use effects::{CLASSES, Effects, Lines};
pub(crate) use home::{Home, args_to_start, id, need};
pub(crate) use look::{Event, Look, Owner, Run, alive};
pub(crate) use steward::{Steward, usd, words};
pub(crate) use trace::{Call, Trace};
pub(crate) use witness::Witness;

pub(crate) use crate::harness::{Outcome, Process, Server, eventually, until};
