//! Support for tests: worlds with scripted agents and fake time, crashes, the simulation, and the
//! conformance suite.
//!
//! It is a dev-dependency only. Start with [`world`] for one engine, [`crash`] for crashes at every
//! step, and [`mod@conformance`] for a new store.

pub mod accounts;
pub mod conformance;
pub mod crash;
pub mod documents;
pub mod draft;
pub mod memory;
pub mod programs;
pub mod scripted;
pub mod simulation;
pub mod world;
