//! Template creation: what is found in projects, and what is made of it.

#![expect(clippy::unwrap_used, reason = "a test that unwraps says where it failed")]

mod evidence;
mod hostile;
mod made;
mod output;
mod stacks;
mod truth;
