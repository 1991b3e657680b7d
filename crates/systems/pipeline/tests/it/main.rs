//! Envelope pipelines: every rule of the road, driven by hand, in memory and as durable runs.

#![expect(clippy::unwrap_used, reason = "a test that unwraps says where it failed")]

mod circles;
mod crash;
mod drive;
mod files;
mod golden;
mod leaving;
mod people;
mod random;
mod row;
mod script;
mod sense;
mod table;
