//! Conversations over documents: `consign ask`, `guard`, `sessions` and `eval`, as their users meet them.

mod codes;
mod fields;
mod forgotten;
mod guarded;
mod history;
mod let_out;
mod models;
mod owners;
mod sources;
mod talk;
