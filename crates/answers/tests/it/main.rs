//! Answers over whole documents.

mod corpus;
mod library;
