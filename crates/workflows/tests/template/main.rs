//! Template creation: what is found in projects, and what is made of it.

#![expect(clippy::unwrap_used, reason = "a test that unwraps says where it failed")]
#![expect(clippy::print_stdout, reason = "the rates are what the tests are for")]

mod evidence;
mod hostile;
mod output;
mod truth;
