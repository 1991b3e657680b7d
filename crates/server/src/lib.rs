//! The HTTP surface: processing, runs and the inbox.
//!
//! [`Server::new`] makes a router of an engine, a [`Token`] and a [`Processor`]; [`serve`] puts it on a
//! socket. Whoever asks must have the token, must mean this machine ([`Options::allowed_hosts`]) and
//! must not be a page of another site; only then is a request looked at, within bounds on size, time
//! and number ([`Options`], [`Wire`]), and on a thread of its own. Every error is an object of contract
//! `authoring/error`.
//!
//! Nothing here knows a rule about runs or envelopes: the engine and the processor do. What a run looks
//! like as JSON is said by `consign_app::view`, for every surface.

mod aside;
mod attended;
mod body;
mod error;
mod form;
mod gate;
mod mcp;
mod openapi;
mod options;
mod path;
mod processor;
mod query;
mod respond;
mod routes;
mod server;
mod token;
mod wire;

pub(crate) use consign_app::view;

pub use attended::Attended;
pub use mcp::{NoConversation, mcp};
pub use options::{Incident, Options, Report, is_host_name};
pub use processor::{Ask, Processed, Processor, Refused};
pub use server::{Parts, Server};
pub use token::{Token, WeakToken};
pub use wire::{Wire, serve, serve_within};
