//! What the repair of answers promises.

#![expect(clippy::unwrap_used, reason = "a test that unwraps says where it failed")]

mod repair;
