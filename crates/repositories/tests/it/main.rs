//! The port with all its adapters: a local folder, GitHub over REST, and GitHub over its official MCP server,
//! by pipes and by HTTP. GitHub is a double on loopback.

#![expect(clippy::unwrap_used, reason = "a test that unwraps says where it failed")]

mod bridge;
mod conformance;
mod double;
mod local;
mod mcp;
mod names;
mod rest;
mod sample;
