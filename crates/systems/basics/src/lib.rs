//! Small workflows that every home has: runs of one agent, and the samples.
//!
//! [`agent`] runs one agent with one input (`agent/call`) or with many at once (`agent/map`). [`sample`] shows what the
//! engine promises, one idea for each workflow, without a model, a key or the network. Nothing here knows a protocol.

pub mod agent;
pub mod sample;
