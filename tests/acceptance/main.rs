//! The `consign` binary as its users meet it, capability by capability.
