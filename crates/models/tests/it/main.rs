//! What models and their invokers promise, capability by capability.

mod repair;
