//! What the contracts promise, capability by capability.

mod compat;
mod generate;
mod golden;
mod invalid;
mod pins;
mod properties;
mod published;
