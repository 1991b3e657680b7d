//! Template creation: requests in a project's folder, and whoever answers them.

mod answers;
mod elsewhere;
pub(crate) mod project;
