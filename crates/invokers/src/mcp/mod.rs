//! Tools of MCP servers as agents, through the official SDK.
//!
//! One attempt is one session: the server is started or greeted, the tool is called once, and the
//! session is closed. Nothing is kept open between calls, so a server cannot carry anything from one
//! run into another, and no server has to be managed. Numbers pass through 64 bits on their way.

mod meter;
mod result;
mod session;
mod tool;
mod web;

pub use self::tool::{McpTool, Server};
