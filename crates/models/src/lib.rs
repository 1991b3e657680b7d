//! Model providers, and everything needed to call one: names, prices, tokens, keys, rate limits,
//! recordings, and the repair of answers.
//!
//! To ask a model once, make a [`Client`](client::Client) over a [`Transport`](transport::Transport)
//! ([`Web`](web::Web) is the network) and give it a [`Target`](client::Target) and a
//! [`Request`](chat::Request). What comes back is an [`Answer`](chat::Answer), or a
//! [`Refused`](client::Refused) with the [`Trouble`] and what is known of the cost.
//! [`repair::read`] makes a value of an answer's text that keeps its contract. A process that asks
//! many times makes one [`Models`] and shares it: it has the keys, prices, throttles and recordings.
//!
//! What this crate must not do:
//! - know a run, an agent or a script. An agent that is a model is in `consign-invokers`;
//! - retry, or wait between retries: one call is one request, and the engine decides what follows;
//! - read without a bound, or let a key out of a header ([`Secret`](transport::Secret) prints as `***`);
//! - serve anything. The stand-in for the providers is `consign-double`, which depends on this crate.

pub mod chat;
pub mod client;
pub mod config;
mod fault;
pub mod file;
pub mod keys;
mod models;
mod name;
pub mod policy;
pub mod prices;
pub mod record;
pub mod repair;
pub mod throttle;
pub mod tokens;
pub mod transport;
pub mod web;
pub mod wire;

pub use fault::Trouble;
pub use models::Models;
pub use name::{ModelName, Provider};
