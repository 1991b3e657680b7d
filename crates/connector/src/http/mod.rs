//! Requests to servers of strangers: where they may go, how often, and how much may come back.
//!
//! [`Http::send`] makes one request and follows nothing. Every address is checked when a connection is made
//! ([`guard`]), so a redirect or a name server cannot lead to a private one. [`retry`] says when to try again,
//! and [`body`] reads an answer within bounds.

pub(crate) mod allowed;
pub(crate) mod body;
pub(crate) mod client;
pub(crate) mod guard;
pub(crate) mod pace;
pub(crate) mod retry;

pub(crate) use self::{
    client::{Http, origin},
    retry::{LONGEST_TOGETHER, Tries, Trouble, refused},
};
