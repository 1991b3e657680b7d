//! Opens the repository of a folder, and says in our words what libgit2 says.

use std::path::Path;

use git2::{ErrorCode, Repository, RepositoryOpenFlags};

use crate::Error;

/// Only what is in this folder: nothing above it, and nothing that the environment names.
pub(super) fn open(folder: &Path) -> Result<Repository, Error> {
    let above: [&Path; 0] = [];
    Repository::open_ext(folder, RepositoryOpenFlags::NO_SEARCH, above).map_err(|error| {
        if error.code() == ErrorCode::NotFound {
            return Error::not_found("a git repository in this folder");
        }
        if error.code() == ErrorCode::Owner {
            return Error::Forbidden { why: "the repository belongs to another user".to_owned() };
        }
        refused("open the repository")(error)
    })
}

/// The error of something that libgit2 could not do.
pub(super) fn refused(doing: &'static str) -> impl Fn(git2::Error) -> Error {
    move |error| match error.code() == ErrorCode::Locked {
        true => Error::unreachable(format!("another program was at work: could not {doing}")),
        false => Error::refused(format!("could not {doing}: {}", words(error.message()))),
    }
}

fn words(message: &str) -> String {
    message.chars().filter(|it| !it.is_control()).take(300).collect()
}
