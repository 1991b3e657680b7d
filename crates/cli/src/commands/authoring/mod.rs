//! What the commands of agent jobs share: a job in the foreground, what it is given, and where its files go: a folder, or
//! a branch of a repository.

pub(super) mod given;
pub(super) mod job;
pub(super) mod out;
pub(super) mod place;
pub(super) mod publish;
