//! The contracts of the five documents that Consign implements, and our own.
//!
//! Start with [`Contract`]: `Contract::find("bridge/agent-request")` gives its schema, and
//! [`Schema::check`](schema::Schema::check) holds a document against it. [`json`] reads and writes
//! documents without loss; [`wire`] turns them into the Rust types that live in the module of
//! their family; [`compat`] compares two versions of a schema; [`sample`] makes a document that a
//! schema allows; [`suggest`] finds the name that a misspelt one stands for;
//! [`secrets`] takes keys and tokens out of a text.
//!
//! Nothing here does I/O, reads a clock or knows how a message is carried.

pub mod authoring;
pub mod bridge;
pub mod compat;
mod contract;
pub mod crew;
pub mod engine;
pub mod envelope;
pub mod job;
pub mod json;
pub mod sample;
pub mod schema;
pub mod secrets;
pub mod suggest;
pub mod wire;

pub use contract::{Contract, Document};
pub use schema::Breach;
