//! The server over a real socket, capability by capability.

#![expect(clippy::unwrap_used, reason = "a test that unwraps says where it failed")]

mod client;
mod contracts;
mod elsewhere;
mod errors;
mod health;
mod hostile;
mod inbox;
mod jobs;
mod mcp;
mod openapi;
mod process;
mod runs;
mod slow;
mod start;
mod stream;
mod world;
