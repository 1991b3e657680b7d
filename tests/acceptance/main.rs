//! The `consign` binary as its users meet it, capability by capability.

mod agents;
mod budget;
mod check;
mod compat;
mod demo;
mod doctor;
mod documents;
mod escapes;
mod examples;
mod handles;
mod help;
mod home;
mod hostile;
mod house;
mod inbox;
mod keys;
mod list;
mod models;
mod runs;
mod secrets;
mod show;
mod stream;
mod support;
mod terminal;
mod tls;
mod worker;
