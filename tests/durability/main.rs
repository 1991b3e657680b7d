//! What was confirmed is kept, whatever happens to the processes: the real binary is killed, starved,
//! lied to and robbed, and an outside witness counts what is left.
//!
//! The tests need `strace`, `faketime`, `python3` and Linux; `./test` installs what is missing. They
//! fail where a program cannot be had, for what was not tested must not look as if it had been.

#![expect(
    clippy::print_stderr,
    reason = "what was killed, and by which seed, is read after a failure"
)]

mod answers;
mod boundaries;
mod budget;
mod conversations;
mod eyes;
mod faults;
#[allow(
    clippy::unwrap_used,
    dead_code,
    reason = "a double for tests; the tests of the crate use the rest of it"
)]
#[path = "../../crates/repositories/tests/it/double/mod.rs"]
mod github_double;
#[path = "../harness/mod.rs"]
mod harness;
mod ingest;
mod jobs;
mod kill;
mod load;
mod order;
mod paid;
mod peers;
mod pipeline;
mod redact;
#[allow(
    clippy::unwrap_used,
    dead_code,
    reason = "a sample for tests; the tests of the crate use the rest of it"
)]
#[path = "../../crates/repositories/tests/it/sample.rs"]
mod sample;
mod scribe;
mod second_chances;
mod service;
mod support;
mod synced;
mod takeover;
mod tamper;
mod template;
mod vectors;
