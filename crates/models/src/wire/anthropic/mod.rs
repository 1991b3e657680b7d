//! The dialect of Anthropic's Messages API.

mod read;
mod write;

pub(super) use read::{Counts, answer, event};
pub(super) use write::request;
