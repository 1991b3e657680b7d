//! The `consign` binary as its users meet it, capability by capability.

mod agents;
mod bridge;
mod budget;
mod check;
mod compat;
mod demo;
mod doctor;
mod documents;
mod escapes;
mod examples;
mod examples_pipelines;
mod handles;
#[path = "../harness/mod.rs"]
mod harness;
mod help;
mod home;
mod hostile;
mod house;
mod inbox;
mod keys;
mod list;
mod mcp;
mod models;
mod office;
mod pipelines;
mod programs;
mod runs;
mod secrets;
mod show;
mod stand_ins;
mod stream;
mod support;
mod templates;
mod terminal;
mod tls;
mod worker;
