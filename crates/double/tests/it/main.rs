//! The double, as its users meet it: an independent client, raw bytes, and tokio's clock.

#![expect(clippy::unwrap_used, reason = "a test that unwraps says where it failed")]

mod answers;
mod clients;
mod clock;
mod faults;
mod rules;
mod stand;
