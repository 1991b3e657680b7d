//! The dialects as wholes: questions as golden text, answers and streams as tables.

mod answers;
mod requests;
mod streams;
