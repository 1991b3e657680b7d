//! What only the crate that sees all systems can compare.

mod built_in;
