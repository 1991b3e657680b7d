//! What agents promise, capability by capability: models before the double, and programs, servers and
//! tools, called by a real engine.
//!
//! With the double no socket is involved, and the clock is paused. Programs and servers are real, so
//! there time is too; but nothing is waited for by sleeping, and nothing depends on how long it takes.

#![expect(clippy::unwrap_used, reason = "a test that unwraps says where it failed")]

mod bench;
mod fallback;
mod faults;
mod http;
mod ladder;
mod mcp;
mod money;
mod outside;
mod programs;
mod providers;
mod recordings;
mod scripts;
mod stage;
mod stopping;
mod tools;
