//! The `consign` binary as its users meet it, capability by capability.

mod agents;
mod architecture;
mod authoring;
mod backup;
mod bridge;
mod budget;
mod check;
mod compat;
mod conversation_figures;
mod conversations;
mod demo;
mod deploy;
mod doctor;
mod documents;
mod escapes;
mod examples;
mod examples_pipelines;
#[allow(
    clippy::unwrap_used,
    dead_code,
    reason = "a double for tests; the tests of the crate use the rest of it"
)]
#[path = "../../crates/repositories/tests/it/double/mod.rs"]
mod github_double;
mod handles;
#[path = "../harness/mod.rs"]
mod harness;
mod help;
mod home;
mod hostile;
mod house;
mod inbox;
mod jobs;
mod jobs_walkthrough;
mod keys;
mod list;
mod local_models;
mod logs;
#[allow(
    dead_code,
    clippy::unwrap_used,
    reason = "the tests of the parsers use the rest of it, and may unwrap"
)]
#[path = "../../crates/parsers/tests/it/make/mod.rs"]
mod make;
mod mcp;
mod models;
mod office;
mod pages;
mod pipelines;
mod programs;
mod runs;
#[allow(
    clippy::unwrap_used,
    dead_code,
    reason = "a sample for tests; the tests of the crate use the rest of it"
)]
#[path = "../../crates/repositories/tests/it/sample.rs"]
mod sample;
mod secrets;
mod show;
mod sources;
mod stand_ins;
mod stream;
mod support;
mod templates;
mod terminal;
mod tls;
mod use_cases;
mod who_answers;
mod worker;
