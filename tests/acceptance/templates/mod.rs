//! Templates: made of projects, over files with an agent outside, and used.

mod analyze;
mod answers;
mod elsewhere;
mod new;
mod options;
mod paid;
pub(crate) mod project;
mod real;
mod recovery;
mod refused;
mod rounds;
mod server;
mod surfaces;
mod two_names;
mod watch;
mod workshop;
