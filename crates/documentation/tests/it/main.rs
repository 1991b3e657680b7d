//! Documents of a repository, from outside of the crate.

mod any;
mod documents;
mod repair;
mod world;
mod write;
