//! GitHub's REST interface: one request for each call, with what its client does for all.

mod cache;
mod client;
mod limits;

use async_trait::async_trait;
use base64::{Engine, engine::general_purpose::STANDARD};
use reqwest::Method;
use serde_json::json;

pub use self::client::{Options, Rest};
pub(super) use self::client::{build, is_this_machine, lost, whole};
use super::{
    Api, Put,
    wire::{self, Contents, GitTree, ListedCommit, Pull, PutAnswer, Reference, Repo, parse},
};
use crate::{
    Base, BlobId, BranchName, CommitId, Entry, EntryKind, Error, LogEntry, OwnerRepo, PullRequest,
    PullRequestRef, Tree,
};

/// GitHub truncates a list of files at 7 MB.
const TREE: u64 = 32 << 20;
/// Files of up to 1 MB come inside of a document, in base64.
const DOCUMENT: u64 = 4 << 20;
/// Commits on a page.
const PAGE: usize = 100;

impl Rest {
    /// The contents of a path; `None` if nothing is there.
    async fn contents(
        &self,
        of: &OwnerRepo,
        at: &CommitId,
        path: &str,
    ) -> Result<Option<wire::File>, Error> {
        let segments = ["contents"].into_iter().chain(path.split('/'));
        let url = self.url(of, segments, &[("ref", at.as_str())]);
        let Some(body) = found(self.get(url, DOCUMENT).await)? else { return Ok(None) };
        match parse::<Contents>(&body)? {
            Contents::File(file) if file.r#type == "file" => Ok(Some(file)),
            Contents::File(_) | Contents::Folder(_) => Ok(None),
        }
    }
}

fn found<T>(result: Result<T, Error>) -> Result<Option<T>, Error> {
    match result {
        Ok(value) => Ok(Some(value)),
        Err(Error::NotFound { .. }) => Ok(None),
        Err(error) => Err(error),
    }
}

#[async_trait]
impl Api for Rest {
    async fn default_branch(&self, of: &OwnerRepo) -> Result<String, Error> {
        let body = self.get(self.url(of, [], &[]), DOCUMENT).await?;
        Ok(parse::<Repo>(&body)?.default_branch)
    }

    async fn tip(&self, of: &OwnerRepo, branch: &BranchName) -> Result<Option<CommitId>, Error> {
        let segments = ["git", "ref", "heads"].into_iter().chain(branch.as_str().split('/'));
        let Some(body) = found(self.get(self.url(of, segments, &[]), DOCUMENT).await)? else {
            return Ok(None);
        };
        CommitId::parse(&parse::<Reference>(&body)?.object.sha).map(Some)
    }

    async fn tree(&self, of: &OwnerRepo, at: &CommitId) -> Result<Tree, Error> {
        let url = self.url(of, ["git", "trees", at.as_str()], &[("recursive", "1")]);
        let tree: GitTree = parse(&self.get(url, TREE).await?)?;
        let entries = tree.tree.into_iter().filter_map(|entry| {
            let kind = match (entry.r#type.as_str(), entry.mode.as_str()) {
                ("tree", _) => return None,
                ("commit", _) => EntryKind::Submodule,
                (_, "120000") => EntryKind::Link,
                _ => EntryKind::File,
            };
            let size = if kind == EntryKind::File { entry.size } else { 0 };
            Some(Entry { path: entry.path, kind, size })
        });
        Ok(Tree { entries: entries.collect(), truncated: tree.truncated })
    }

    async fn file(
        &self,
        of: &OwnerRepo,
        at: &CommitId,
        path: &str,
        most: u64,
    ) -> Result<Option<Vec<u8>>, Error> {
        let Some(file) = self.contents(of, at, path).await? else { return Ok(None) };
        if file.size > most {
            return Err(Error::TooLarge { path: path.to_owned(), size: file.size, most });
        }
        let blob = BlobId::parse(&file.sha)?;
        let bytes = match (file.encoding.as_deref(), file.content) {
            (Some("base64"), Some(content)) => {
                let digits: String = content.split_ascii_whitespace().collect();
                STANDARD.decode(digits).map_err(|_| Error::invalid("a file is not base64"))?
            }
            // A larger file comes by itself.
            _ => self.get_raw(self.url(of, ["git", "blobs", blob.as_str()], &[]), most).await?,
        };
        // Part of a file, or another one, must not pass for it.
        match blob.as_str().len() == 64 || BlobId::of(&bytes) == blob {
            true => Ok(Some(bytes)),
            false => Err(Error::invalid("a file is not the one that it is said to be")),
        }
    }

    async fn blob(
        &self,
        of: &OwnerRepo,
        at: &CommitId,
        path: &str,
    ) -> Result<Option<BlobId>, Error> {
        let file = self.contents(of, at, path).await?;
        file.map(|file| BlobId::parse(&file.sha)).transpose()
    }

    async fn log(
        &self,
        of: &OwnerRepo,
        at: &CommitId,
        most: usize,
    ) -> Result<Vec<LogEntry>, Error> {
        let mut log = Vec::new();
        let size = most.min(PAGE).to_string();
        for page in 1..=most.div_ceil(PAGE) {
            let page = page.to_string();
            let query = [("sha", at.as_str()), ("per_page", &size), ("page", &page)];
            let body = self.get(self.url(of, ["commits"], &query), DOCUMENT).await?;
            let commits: Vec<ListedCommit> = parse(&body)?;
            let is_last = commits.len() < PAGE;
            for commit in commits {
                log.push(commit.entry()?);
            }
            if is_last {
                break;
            }
        }
        log.truncate(most);
        Ok(log)
    }

    async fn make_branch(
        &self,
        of: &OwnerRepo,
        branch: &BranchName,
        from: &Base,
    ) -> Result<CommitId, Error> {
        let body = json!({"ref": format!("refs/heads/{branch}"), "sha": from.commit.as_str()});
        let body = self.send(Method::POST, self.url(of, ["git", "refs"], &[]), &body).await?;
        CommitId::parse(&parse::<Reference>(&body)?.object.sha)
    }

    async fn put_file(&self, of: &OwnerRepo, put: Put<'_>) -> Result<CommitId, Error> {
        let mut body = json!({
            "message": put.message,
            "content": STANDARD.encode(put.content),
            "branch": put.branch.as_str(),
        });
        if let Some(replaces) = put.replaces {
            body["sha"] = replaces.as_str().into();
        }
        let segments = ["contents"].into_iter().chain(put.path.split('/'));
        let body = self.send(Method::PUT, self.url(of, segments, &[]), &body).await?;
        CommitId::parse(&parse::<PutAnswer>(&body)?.commit.sha)
    }

    async fn pulls(
        &self,
        of: &OwnerRepo,
        branch: &BranchName,
    ) -> Result<Vec<PullRequestRef>, Error> {
        let head = format!("{}:{branch}", of.owner());
        let query = [("head", head.as_str()), ("state", "all"), ("per_page", "100")];
        let body = self.get(self.url(of, ["pulls"], &query), TREE).await?;
        let pulls = parse::<Vec<Pull>>(&body)?.into_iter();
        pulls.filter(|pull| pull.is_of(of, branch)).map(Pull::summary).collect()
    }

    async fn make_pull(
        &self,
        of: &OwnerRepo,
        request: &PullRequest,
    ) -> Result<PullRequestRef, Error> {
        let body = json!({
            "title": request.title,
            "body": request.body,
            "head": request.branch.as_str(),
            "base": request.base,
        });
        let body = self.send(Method::POST, self.url(of, ["pulls"], &[]), &body).await?;
        parse::<Pull>(&body)?.summary()
    }
}
