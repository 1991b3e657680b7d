//! The dialect of OpenAI's chat completions, which xAI, Ollama and compatible servers use too.

mod error;
mod messages;
mod read;
mod write;

pub(super) use self::{error::refuse, read::read, write::write};
