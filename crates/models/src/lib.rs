//! Who thinks, and how an agent is reached: model providers, prices, keys, repairs, recordings, and
//! the invokers that the engine calls.
//!
//! Nothing here decides what a run does. One invocation is one attempt: it makes at most one request,
//! says what it cost, and leaves retries, waits and money to the engine.

pub mod address;
pub mod chat;
mod fault;
pub mod http;
pub mod mcp;
mod name;
pub mod outside;
pub mod process;
pub mod transport;

pub use fault::Trouble;
pub use name::{ModelName, Provider};
