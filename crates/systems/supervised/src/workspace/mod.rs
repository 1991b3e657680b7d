//! The workspace of a job: the folder in which its agents work.
//!
//! Everything in it is taken to be hostile: links that lead out, pipes, huge files, names that are not UTF-8, files that
//! are swapped while they are read. So all of it is reached through [`consign_files::Root`], by handle.
//!
//! - [`Snapshots`] keeps what the workspace was, and makes it so again.
//! - [`evidence`] says whether a path that an agent named is there.
//! - [`context`] reads the files that a prompt brings.
//! - [`write_files`] writes the files that an answer brings.
//!
//! Nothing here runs a command, knows about git, or decides when a snapshot is taken.

mod context;
mod error;
mod evidence;
mod name;
mod snapshot;
mod write;

pub use self::{
    context::{Content, Context, LeftOut, Part, context},
    error::Error,
    evidence::evidence,
    snapshot::{Change, Diff, How, NotADigest, Snapshots, Taken, TreeId, What},
    write::write_files,
};
