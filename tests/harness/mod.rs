//! What all tests of the `consign` binary share: starting it, waiting for it, reading what it left, and
//! speaking to it over HTTP.
//!
//! Each test binary includes this folder as a module and puts its own `Home` on top of it. Nothing here
//! knows the crates behind the binary: what a test can see, a user can see. What is started here never
//! outlives its test.

#![allow(dead_code, unused_imports, reason = "each test binary uses its own part of this")]

mod command;
pub(crate) mod http;
mod models;
mod outcome;
mod patience;
mod process;
mod server;

pub(crate) use command::{consign, plain};
pub(crate) use models::embeddings;
pub(crate) use outcome::{Outcome, keys, text};
pub(crate) use patience::{PATIENCE, eventually, until};
pub(crate) use process::Process;
pub(crate) use server::Server;
