//! Worlds for tests: scripted agents, fake time, crashes, simulation, conformance.

pub mod conformance;
pub mod crash;
pub mod draft;
pub mod memory;
pub mod programs;
pub mod scripted;
pub mod simulation;
pub mod world;
