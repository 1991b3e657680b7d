//! The dialect of OpenAI's chat completions, which many other providers use too.

mod read;
mod write;

pub(super) use read::{answer, event};
pub(super) use write::request;
