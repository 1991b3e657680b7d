//! Who thinks, and how an agent is reached: model providers, prices, keys, repairs, recordings, and
//! the invokers that the engine calls.
//!
//! Nothing here decides what a run does. One invocation is one attempt: it makes at most one request,
//! says what it cost, and leaves retries, waits and money to the engine.

pub mod address;
mod bridge;
pub mod chat;
pub mod client;
pub mod config;
pub mod define;
pub mod double;
mod fault;
mod file;
pub mod http;
pub mod keys;
pub mod mcp;
pub mod model;
mod models;
mod name;
pub mod outside;
pub mod policy;
pub mod prices;
pub mod process;
pub mod prompt;
pub mod record;
pub mod repair;
pub mod script;
pub mod settings;
mod staged;
pub mod throttle;
pub mod tokens;
pub mod transport;
pub mod web;
pub mod wire;

pub use bridge::Bridge;
pub use fault::Trouble;
pub use models::Models;
pub use name::{ModelName, Provider};
pub use staged::Staged;
