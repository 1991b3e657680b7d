//! The HTTP surface: processing, runs, jobs and the inbox.
//!
//! [`Server::new`] makes a router of a home, a [`Token`] and a [`Processor`]; [`serve`] puts it on a
//! socket. A client must have the token, must mean this machine ([`Options::allowed_hosts`]) and must not be a
//! page of another site; only then is a request looked at, within bounds on size, time and number ([`Options`],
//! [`Wire`]), and on a blocking thread. A route is declared once, in a file of `routes`, by the trait in `endpoint`:
//! a request that breaks its contract never reaches a handler. Every error is an object of contract
//! `authoring/error`, by the table in `error`.
//!
//! Nothing here may know a rule about runs or envelopes: the engine and the processor do. What a run looks like as
//! JSON is said by `consign_app::view`, for every surface.

mod blocking;
mod caller;
mod cookies;
mod endpoint;
mod error;
mod gate;
mod mcp;
mod openapi;
mod options;
mod permits;
mod respond;
mod routes;
mod server;
mod sign_in;
mod token;
mod wire;
mod worker_health;

pub(crate) use consign_app::view;

pub use consign_app::pipelines::{
    ProcessAsk as Ask, ProcessRefused as Refused, Processed, Processor,
};
pub use gate::TrustedProxy;
pub use mcp::{McpContext, McpError, mcp};
pub use options::{Incident, Options, Report, is_host_name};
pub use routes::{RouteLine, route_table};
pub use server::{Parts, Server};
pub use sign_in::{AccountsParts, SignIn};
pub use token::{Token, WeakToken};
pub use wire::{Tls, TlsError, Wire, serve, serve_within};
pub use worker_health::WorkerHealth;
