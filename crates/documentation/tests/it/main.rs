//! Documents of a repository, from outside of the crate.

mod any;
mod documents;
mod gaps;
mod repair;
mod world;
mod write;
