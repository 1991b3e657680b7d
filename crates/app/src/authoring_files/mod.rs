//! The files of agent jobs on this machine: what a folder tests with, and where a job's files are written.
//!
//! [`framework_of`] looks at the manifests of a folder. [`place`] says what writing the files of a job would do, and
//! [`write`] does it: beneath the handle of the target's folder, never through a link, every file checked before the
//! first is written. Only surfaces on the user's own machine call these. Nothing here reads a job or a store.

mod framework;
mod write;

pub use self::{
    framework::framework_of,
    write::{Change, PlacedFile, Target, place, write},
};
pub use consign_authoring::{job::MadeFile, trace::Framework};

use consign_authoring::job;
use consign_engine::Data;

/// The files in the result of a job, in its order.
#[must_use]
pub fn files_of(result: &Data) -> Vec<MadeFile> {
    job::artifacts(result)
}
