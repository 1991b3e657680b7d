//! File access: the one place for everything that is dangerous about it.
//!
//! - [`Root`] is a folder that was opened once. Whatever is beneath it is reached from that handle, one
//!   system call for each path, so that nothing outside can be reached, whatever the path says and
//!   even if folders are renamed or replaced by links meanwhile. Pipes and devices are refused and
//!   never waited for, and a file is read only up to a limit.
//! - [`Root::write_atomic`] replaces a file: readers find the old one or the new one, complete, also
//!   after a power cut. [`Root::create_once`] makes a file where there is none: of two at the same time
//!   exactly one succeeds.
//! - [`Lock`] keeps other processes away until it is dropped or the process ends; [`Locks`] tells who
//!   has one.
//! - The functions of [`trusted`] do some of this for a path that comes from the user or from us, and
//!   not from a stranger: links on the way are followed.
//!
//! Nothing here decides what a file means, which names are allowed in a project, or what a user is told:
//! every error is an [`Error`] with the path and the cause, and the caller has the words.
//!
//! It is built on `rustix`, not on `cap-std`: there, links inside of a root are always followed on the way
//! to a file, a pipe is waited for, and neither atomic writes nor locks are part of it.

mod access;
mod atomic;
mod change;
mod entries;
mod error;
mod holder;
mod link;
mod lock;
mod mode;
mod once;
mod path;
mod read;
mod resolve;
mod root;
pub mod trusted;
mod walk;

pub use self::{
    access::Access,
    change::sync_file,
    entries::{Entry, FileId, Kind, Metadata},
    error::{BadPath, Error},
    holder::{Holder, Locks},
    lock::{Lock, Sharing, lock, try_lock, unlock},
    resolve::Links,
    root::Root,
    walk::{Folder, Walk, WalkLimits},
};

#[cfg(test)]
mod tests;
