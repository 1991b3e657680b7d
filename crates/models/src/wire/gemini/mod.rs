//! The dialect of Gemini's `generateContent` and `streamGenerateContent`.

mod read;
mod write;

/// The prefix of ids that we make. Gemini's calls sometimes have no id, and a result must name its
/// call. Such an id is never sent.
const OUR_ID: &str = "gemini-call-";

pub(super) use read::{answer, event};
pub(super) use write::request;
