//! What the workspace was at some moments, kept by content.
//!
//! ```text
//! JOB/.snapshots/objects/ab/cdef…   the content of a file, compressed, named by the SHA-256 of the plain content
//! JOB/.snapshots/trees/ID.json      what a workspace consisted of; ID is the SHA-256 of this file
//! JOB/.snapshots/cache              which files need not be read again
//! ```
//!
//! [`Snapshots::take`] keeps the workspace as it is, [`Snapshots::lay`] makes it so again, [`Snapshots::changes`] and
//! [`Snapshots::diff`] compare two. Links are kept as links. Times, owners and extended attributes are not kept, and
//! of the rights only the nine bits. Nothing is ever removed from the store.

mod access;
mod cache;
mod changes;
mod diff;
mod digest;
mod lay;
mod objects;
mod remove;
mod snapshots;
mod take;
mod tree;

pub use self::{
    changes::{Change, How},
    diff::Diff,
    digest::NotADigest,
    snapshots::Snapshots,
    take::Taken,
    tree::{TreeId, What},
};

#[cfg(test)]
mod tests;
