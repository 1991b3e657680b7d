//! What the mirror of a template creation does in the engine.

#![expect(clippy::unwrap_used, reason = "a test that unwraps says where it failed")]

mod mirror;
