//! Gemini's `generateContent` and `streamGenerateContent`.

mod read;
mod write;

/// Gemini's calls have no ids at times, and a result must name the call it belongs to. An id that
/// begins so is ours, and is never sent.
const OUR_ID: &str = "gemini-call-";

pub(super) use read::{answer, event};
pub(super) use write::request;
