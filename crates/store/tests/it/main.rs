//! The embedded store: what it promises as a store, and what is its own as SQLite and files.

#![expect(clippy::unwrap_used, reason = "a test that unwraps says where it failed")]

mod accounts;
mod backup;
mod batches;
mod cache;
mod claims;
mod conformance;
mod conversations;
mod crashes;
mod discussion;
mod documents;
mod ground;
mod large;
mod looking;
mod notes;
mod older;
mod opening;
mod processes;
mod redact;
mod sealed;
mod settings;
mod workers;
