//! OpenAI's chat completions, as OpenAI, xAI, Ollama and compatible servers speak them.

mod error;
mod messages;
mod read;
mod write;

pub(super) use self::{error::refuse, read::read, write::write};
