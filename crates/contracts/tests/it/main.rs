//! What the contracts promise, capability by capability.

mod golden;
mod invalid;
