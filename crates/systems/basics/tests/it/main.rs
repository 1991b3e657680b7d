//! What the workflows of one agent do in the engine.

#![expect(clippy::unwrap_used, reason = "a test that unwraps says where it failed")]

mod agents;
