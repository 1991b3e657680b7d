//! Answers over whole documents.

#![expect(clippy::unwrap_used, reason = "these are tests")]

mod corpus;
mod library;
