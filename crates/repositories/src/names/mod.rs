//! Names that come from a model or a user, checked once: who holds one of these types need not look again.

mod branch;
mod owner_repo;
mod path;

pub(crate) use self::path::is_readable;

pub use self::{branch::BranchName, owner_repo::OwnerRepo, path::RepoPath};

/// Why a name is refused. The name itself is not part of it: it may be anything.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BadName {
    #[error("the branch name is not one that git allows: {0}")]
    Branch(&'static str),
    #[error("the branch is the base branch: name another one")]
    IsBase,
    #[error("the path is not allowed: {0}")]
    Path(&'static str),
    #[error(
        "the repository must be OWNER/NAME, each of letters, digits, '.', '_' and '-', at most 100"
    )]
    OwnerRepo,
}
