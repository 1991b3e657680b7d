//! How an agent is reached: each module has an [`Invoker`](consign_engine::Invoker) that the engine
//! calls.
//!
//! [`model`] asks a model, [`process`] runs a program, [`http`] posts to a server, [`mcp`] calls a tool
//! of an MCP server, and [`Bridge`] calls nothing: its calls wait in the inbox for an answer. [`Scriptable`]
//! lets a [`script`] answer in the place of any of them. [`define`] reads the definition of an agent from a
//! TOML file, and [`define::Workshop`] makes the agent. [`settings`] is what a run remembers of how its
//! agents are reached, and [`address`] refuses addresses of private networks.
//!
//! To use it, make a [`define::Workshop`] with the [`Models`](consign_models::Models) and the
//! [`Scripts`](script::Scripts) of the process, read a [`Definition`](define::Definition), and give the
//! agent to the engine; or put a [`define::Folder`] into the engine's directory of agents. A program that
//! starts others this way has to call [`process::supervise`] when it is started with that command.
//!
//! What this crate must not do:
//! - make more than one request in an attempt, or try again: it says what should follow, and the engine
//!   does it, in the journal;
//! - reach a private address that a definition does not allow, or follow a redirect;
//! - leave a program running, read more than its bounds, or show a secret in an output or a fault;
//! - speak a provider's protocol (`consign-models` does), keep state of a run, or serve anything.

pub mod address;
mod bridge;
pub mod define;
pub mod http;
pub mod mcp;
pub mod model;
pub mod outside;
pub mod process;
pub mod prompt;
pub mod script;
mod scriptable;
pub mod settings;

pub use bridge::Bridge;
pub use scriptable::Scriptable;
