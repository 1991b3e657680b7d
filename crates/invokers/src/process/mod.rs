//! Programs as agents: JSON on stdin, JSON on stdout, and nothing of them left when they are over.
//!
//! A program runs under a [keeper](supervise): this very binary, started anew. The keeper adopts
//! whatever the program leaves behind and does not end before all of it is dead; it is told to stop
//! by a signal, and stops by itself when we die, however we die. [`Subprocess`] watches time, memory
//! and output from here.
//!
//! This contains programs that misbehave, not ones that attack: a program that may send signals to
//! our processes can kill the keeper. Its orphans are then found by a mark in their environment.

mod definition;
mod keeper;
mod pipe;
mod subprocess;
mod supervised;
mod tail;
mod tree;
mod verdict;

pub use self::{
    definition::Definition,
    keeper::supervise,
    pipe::{Pipe, Piped},
    subprocess::Subprocess,
    supervised::MARK,
};
pub(crate) use self::{
    keeper::End,
    subprocess::{variables, watch},
    supervised::{EVIDENCE, Start, Stopping, SupervisedChild},
    verdict::cut_off,
};
