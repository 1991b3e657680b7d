//! The dialect of Gemini's `generateContent`.

mod contents;
mod error;
mod read;
mod schema;
mod write;

pub(super) use self::{error::refuse, read::read, schema::camel, write::write};
