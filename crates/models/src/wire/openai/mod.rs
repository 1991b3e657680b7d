//! OpenAI's chat completions, which many others speak too.

mod read;
mod write;

pub(super) use read::{answer, event};
pub(super) use write::request;
