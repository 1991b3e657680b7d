//! What workflows do in the engine, capability by capability.

#![expect(clippy::unwrap_used, reason = "a test that unwraps says where it failed")]

mod agents;
mod mirror;
