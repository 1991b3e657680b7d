<<<<<<< HEAD
//! Templates: made of projects, over files with an agent outside, and used.

mod real;
mod recovery;
mod refused;
mod rounds;
mod server;
mod surfaces;
mod watch;
mod workshop;
=======
//! Template creation: requests in a project's folder, and whoever answers them.

mod answers;
mod elsewhere;
pub(crate) mod project;
>>>>>>> w6-inbox
