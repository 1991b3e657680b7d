//! What models and their invokers promise, capability by capability.

#![expect(clippy::unwrap_used, reason = "a test that unwraps says where it failed")]

mod fallback;
mod faults;
mod ladder;
mod money;
mod outside;
mod providers;
mod recordings;
mod repair;
mod scripts;
mod stage;
