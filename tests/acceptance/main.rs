//! The `consign` binary as its users meet it, capability by capability.

mod check;
mod compat;
mod demo;
mod doctor;
mod documents;
mod escapes;
mod help;
mod hostile;
mod house;
mod list;
mod show;
mod stream;
mod support;
mod terminal;
