//! The server over a real socket, capability by capability.

#![expect(clippy::unwrap_used, reason = "a test that unwraps says where it failed")]

mod account_world;
mod accounts;
mod client;
mod codes;
mod contracts;
mod conversations;
mod documents;
mod elsewhere;
mod errors;
mod guards;
mod health;
mod hostile;
mod inbox;
mod jobs;
mod mcp;
mod oauth;
mod oauth_double;
mod openapi;
mod process;
mod runs;
mod settings;
mod slow;
mod start;
mod stream;
mod tenants;
mod tls;
mod world;
