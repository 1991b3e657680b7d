//! `/api/documents`: what the caller has taken in, one operation to a file.
//!
//! Whose documents they are, only the caller's credentials say. Another owner's source is answered like one that is not
//! there.

mod body;
mod form;
pub(super) mod list;
pub(super) mod remove;
pub(super) mod send;
pub(super) mod show;
