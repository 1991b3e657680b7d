//! The dialect of Anthropic's Messages API.

mod error;
mod messages;
mod read;
mod write;

pub(super) use self::{error::refuse, read::read, write::write};
