//! HTTP servers as agents: the input is POSTed, the body of the answer is the output.
//!
//! No redirect is followed, no address is reached that [`address`](crate::address) refuses, and one
//! attempt is one request.

mod agent;
mod answer;
mod client;
mod definition;

pub(crate) use self::client::{Lost, client, lost};
pub use self::{agent::HttpAgent, definition::Definition};
