//! What a job made beside what is in its repository, for a diff.

use consign_authoring::publish::{OpenRepository, fault_of};
use consign_contracts::json::Json;
use consign_engine::{Fault, Owner};
use consign_repositories::{CommitId, OwnerRepo};

use super::{find::find_ends, view::Seen};
use crate::{
    Home,
    error::{Error, Refused},
};

/// A larger document is not one that a person wrote.
const MOST_BYTES: u64 = 8 << 20;

/// A file that a job made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChangedFile {
    pub path: String,
    /// What the job replaces: the file on its branch, or, where the branch is new, at the commit that was read. Nothing for
    /// a new file, or without a repository.
    pub before: Option<String>,
    pub after: String,
}

/// The files that a job made, so far.
pub async fn changes(home: &Home, owner: &Owner, id: &str) -> Result<Vec<ChangedFile>, Error> {
    let seen = Seen::read(home, find_ends(home, owner, id).await?, true).await?;
    let files = seen.files();
    let mut changed = Vec::new();
    let Some((name, ground)) = place(&seen) else {
        let new = |file: consign_authoring::job::MadeFile| ChangedFile {
            path: file.path,
            before: None,
            after: file.content,
        };
        return Ok(files.into_iter().map(new).collect());
    };
    let folder = seen.input.as_ref().and_then(|input| input.settings.folder.as_deref());
    let repository = home.sources.open(owner, &name, folder).await?;
    for file in files {
        let before = repository.read(&ground, &file.path, MOST_BYTES).await;
        let before = before.map_err(|error| fault_of(&error))?;
        let before = before.map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
        changed.push(ChangedFile { path: file.path, before, after: file.content });
    }
    Ok(changed)
}

/// The repository of a job, and the commit that its files go on top of.
fn place(seen: &Seen) -> Option<(OwnerRepo, CommitId)> {
    let payload = seen.input.as_ref()?.effective().ok()?;
    let payload = payload.tree().ok()?;
    let text = |value: Option<&Json<'_>>| value.and_then(Json::as_str).map(str::to_owned);
    let (owner, repo) = (text(payload.get("owner"))?, text(payload.get("repo"))?);
    let result = seen.result()?;
    let result = result.tree().ok()?;
    let metadata = result.get("metadata")?;
    let ground = text(metadata.get("head")).or_else(|| text(metadata.get("base")))?;
    Some((OwnerRepo::new(&owner, &repo).ok()?, CommitId::parse(&ground).ok()?))
}

/// The branch that work on a repository starts from: the one that is named, else its own.
///
/// Refuses a branch that is not there. Where a named one cannot be looked up, the job will say why.
pub async fn base_branch(
    home: &Home,
    owner: &Owner,
    (of, repo): (&str, &str),
    folder: Option<&std::path::Path>,
    named: Option<&str>,
) -> Result<String, Error> {
    let name = OwnerRepo::new(of, repo)
        .map_err(|why| Fault::permanent("VALIDATION_ERROR", why.to_string()))?;
    let opened = home.sources.open(owner, &name, folder).await;
    if let Some(named) = named {
        let Ok(repository) = opened else { return Ok(named.to_owned()) };
        let Ok(None) = repository.commit_of(named).await else { return Ok(named.to_owned()) };
        let refused = Refused::usage(NOT_FOUND, format!("{repo} has no branch {named}"));
        return Err(match repository.describe().await {
            Ok(about) if about.default_branch != named => {
                refused.hint(format!("its own branch is {}", about.default_branch)).into()
            }
            Ok(_) | Err(_) => refused.hint(NO_COMMIT).into(),
        });
    }
    let repository = opened?;
    let described = repository.describe().await.map_err(|error| fault_of(&error))?;
    // On GitHub this would be one more request for what the job finds out anyway.
    let is_empty = folder.is_some()
        && matches!(repository.commit_of(&described.default_branch).await, Ok(None));
    match is_empty {
        true => Err(Refused::usage(NOT_FOUND, format!("{repo} has no commit yet"))
            .hint(NO_COMMIT)
            .into()),
        false => Ok(described.default_branch),
    }
}

const NOT_FOUND: &str = "REPOSITORY_NOT_FOUND";
const NO_COMMIT: &str = "make a first commit: `git add -A && git commit`";
