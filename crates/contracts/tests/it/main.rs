//! What the contracts promise, capability by capability.

mod compat;
mod golden;
mod invalid;
