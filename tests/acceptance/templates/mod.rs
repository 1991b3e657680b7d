//! Templates: made of projects, over files with an agent outside, and used.

mod real;
mod recovery;
mod refused;
mod rounds;
mod server;
mod surfaces;
mod watch;
mod workshop;
