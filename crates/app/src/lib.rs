//! What one can do with Consign: use cases, views of runs, next-step hints and the composition of a home.
//!
//! Every surface (command line, HTTP, MCP) opens a [`Home`] and calls the same functions here with typed input and
//! outcome, so that a run is the same wherever it was begun. Nothing here reads arguments, prints, or knows a route.

pub mod accounts;
pub mod agent_jobs;
pub mod authoring_files;
pub mod backup;
pub mod closing;
pub mod compose;
pub mod conversations;
pub mod definitions;
pub mod documents;
pub mod error;
pub mod foreground;
mod home;
pub mod inbox;
pub mod jobs;
pub mod listing;
pub mod local_models;
pub mod machine;
pub mod next;
pub mod pipelines;
pub mod programs;
pub mod reach;
pub mod runs;
pub mod settings;
pub mod sources;
pub mod suggest;
pub mod templates;
pub mod view;
pub mod workers;

pub use consign_store::on_blocking_thread;
pub use error::{Error, Refused};
pub use home::{Home, page};
pub use reach::Reach;
