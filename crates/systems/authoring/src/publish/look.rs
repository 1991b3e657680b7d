//! Looks at a repository before anything is written: where the base branch stands, which branch will be written to,
//! and how the files on it are.

use std::{
    path::PathBuf,
    sync::Arc,
    time::{SystemTime, UNIX_EPOCH},
};

use consign_engine::{At, Fault, Owner};
use consign_repositories::{BlobId, BranchName, CommitId, Error, OwnerRepo, Repository};
use serde::{Deserialize, Serialize};

use super::{OpenRepository, fault_of, names::Names};

/// The most of a file that is read to find out its id.
pub(crate) const MOST_BYTES: u64 = 8 << 20;
/// How often a name is tried with another number behind it.
const MOST_NAMES: u32 = 50;

/// The repository and the branch that work starts from.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Site {
    pub(crate) owner: String,
    pub(crate) repo: String,
    /// The git folder that the user of a terminal named.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) folder: Option<PathBuf>,
    pub(crate) base_branch: String,
}

impl Site {
    pub(crate) async fn open(
        &self,
        repositories: &dyn OpenRepository,
        owner: &Owner,
    ) -> Result<Arc<dyn Repository>, Fault> {
        let name = OwnerRepo::new(&self.owner, &self.repo).map_err(|why| fault_of(&why.into()))?;
        repositories.open(owner, &name, self.folder.as_deref()).await
    }
}

/// How the branch that is written to is found.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct BranchRule {
    pub(crate) agent: String,
    pub(crate) choice: BranchChoice,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) submitted: Option<At>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum BranchChoice {
    /// A name, or a pattern with placeholders.
    Pattern(String),
    /// The branch of the job that is revised, as long as it is there and its pull request is open.
    Revised { branch: String, had_pull_request: bool },
    /// The base branch itself.
    Base,
}

/// How things stand.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Looked {
    /// The newest commit of the base branch.
    pub(crate) base: String,
    /// The branch that will be written to.
    pub(crate) branch: String,
    /// Its newest commit, if it is there already.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) head: Option<String>,
    pub(crate) names: Names,
}

impl Looked {
    /// The commit on which a file is updated.
    pub(crate) fn ground(&self) -> Result<CommitId, Error> {
        CommitId::parse(self.head.as_deref().unwrap_or(&self.base))
    }
}

/// Looks at the branches.
pub(crate) async fn look(
    repository: &dyn Repository,
    site: &Site,
    rule: &BranchRule,
    job: &str,
) -> Result<Looked, Error> {
    let base = newest(repository, &site.base_branch).await?;
    let names = Names {
        at: rule.submitted.unwrap_or_else(now),
        agent: rule.agent.clone(),
        job: job.to_owned(),
        repo: site.repo.clone(),
    };
    let (branch, head) = match &rule.choice {
        BranchChoice::Base => (site.base_branch.clone(), Some(base.clone())),
        BranchChoice::Pattern(pattern) => {
            let name = names.fill(pattern);
            let branch = BranchName::apart_from(&name, &site.base_branch)?;
            let head = repository.commit_of(branch.as_str()).await?;
            (name, head)
        }
        BranchChoice::Revised { branch, had_pull_request } => {
            again(repository, site, branch, *had_pull_request).await?
        }
    };
    let head = head.map(|head| head.to_string());
    Ok(Looked { base: base.to_string(), branch, head, names })
}

/// The newest commit of a branch that must be there.
pub(crate) async fn newest(repository: &dyn Repository, branch: &str) -> Result<CommitId, Error> {
    let missing = || Error::NotFound { what: format!("the branch {branch}") };
    repository.commit_of(branch).await?.ok_or_else(missing)
}

/// The branch of a revision: the one of its parent, or the next free name.
async fn again(
    repository: &dyn Repository,
    site: &Site,
    parent: &str,
    had_pull_request: bool,
) -> Result<(String, Option<CommitId>), Error> {
    let branch = BranchName::apart_from(parent, &site.base_branch)?;
    if let Some(head) = repository.commit_of(branch.as_str()).await? {
        let request = repository.pull_request_of(&branch).await?;
        // Without a pull request from the beginning, the branch is all there is.
        let is_open = request.map_or(!had_pull_request, |request| request.is_open);
        if is_open {
            return Ok((parent.to_owned(), Some(head)));
        }
    }
    let (stem, first) = numbered(parent);
    for number in first..first + MOST_NAMES {
        let name = format!("{stem}-r{number}");
        let branch = BranchName::apart_from(&name, &site.base_branch)?;
        if repository.commit_of(branch.as_str()).await?.is_none() {
            return Ok((name, None));
        }
    }
    Err(Error::Conflict { what: format!("{parent} has too many successors") })
}

/// A name without its number, and the next number.
fn numbered(name: &str) -> (&str, u32) {
    let parts = name.rsplit_once("-r");
    let read = parts.and_then(|(stem, number)| Some((stem, number.parse::<u32>().ok()?)));
    read.map_or((name, 2), |(stem, number)| (stem, number.saturating_add(1)))
}

/// The ids of files at a commit; `None` for what is not there.
pub(crate) async fn blobs(
    repository: &dyn Repository,
    at: &CommitId,
    paths: &[String],
) -> Result<Vec<Option<String>>, Error> {
    let mut found = Vec::with_capacity(paths.len());
    for path in paths {
        let content = repository.read(at, path, MOST_BYTES).await?;
        found.push(content.map(|content| BlobId::of(&content).to_string()));
    }
    Ok(found)
}

fn now() -> At {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    At(i64::try_from(since.as_micros()).unwrap_or(i64::MAX))
}

#[cfg(test)]
mod tests {
    use super::numbered;

    #[test]
    fn a_successor_has_the_next_number() {
        assert_eq!(numbered("docs/scribe-1"), ("docs/scribe-1", 2));
        assert_eq!(numbered("docs/scribe-1-r2"), ("docs/scribe-1", 3));
        assert_eq!(numbered("docs/x-rest"), ("docs/x-rest", 2));
    }
}
