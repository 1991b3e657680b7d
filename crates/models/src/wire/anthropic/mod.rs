//! Anthropic's messages.

mod read;
mod write;

pub(super) use read::{Counts, answer, event};
pub(super) use write::request;
