//! `/api/conversations`: questions about the caller's documents, and what was said; one operation to a file.
//!
//! A turn is a durable run that workers drive: what becomes of a request or of a stream changes nothing about it. Whose
//! conversations they are, only the caller's credentials say. Another owner's is answered like one that is not there.

pub(super) mod ask;
pub(super) mod list;
pub(super) mod remove;
mod reply;
pub(super) mod show;
mod telling;
pub(super) mod turn;
