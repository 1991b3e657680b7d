//! What the contracts promise, capability by capability.

mod compat;
mod generate;
mod golden;
mod invalid;
mod pins;
mod places;
mod properties;
mod published;
mod sample;
