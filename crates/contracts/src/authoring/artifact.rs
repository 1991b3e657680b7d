//! What Trace and Proto share: the files they make and how these are committed.

use crate::wire::{wire, words};

wire! {
    /// A file that an agent made.
    pub open struct Artifact {
        /// Where it belongs, relative to the repository.
        file_path as "filePath": String,
        /// What is in it.
        content: Option<String>,
    }
}

words! {
    /// Where the files are committed.
    pub enum BranchStrategy {
        /// On a branch of their own.
        Auto = "auto",
        /// On the base branch, without a pull request.
        Manual = "manual",
    }
}
