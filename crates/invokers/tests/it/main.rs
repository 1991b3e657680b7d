//! Agents outside this process: programs, servers and tools, called by a real engine.
//!
//! Programs and servers are real, so time is too; but nothing is waited for by sleeping, and nothing
//! depends on how long it takes.
#![expect(clippy::unwrap_used, reason = "a test that unwraps says where it failed")]

mod bench;
mod http;
mod mcp;
mod programs;
mod stopping;
mod tools;
