//! What only the crate that sees all systems can compare, and use cases without a surface.

#![expect(clippy::unwrap_used, reason = "a test that unwraps says where it failed")]

mod agent_jobs;
mod backup;
mod built_in;
mod settings;
mod templates;
mod vectors;
