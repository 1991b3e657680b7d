//! GitHub's MCP server: its tools by their names, one call of a tool for each call of ours.
//!
//! The tools do less than the REST interface. A file is text: one that is not is refused. A branch begins at
//! the newest commit of another branch. A tree is read folder by folder. The server puts names into
//! addresses as they are, so names that would mean something there are refused. A new file replaces one that
//! appeared meanwhile, so files are written one at a time; against other programs that is no protection.

mod contents;
mod refusal;
mod session;
mod web;

use async_trait::async_trait;
use futures_util::{StreamExt, TryStreamExt, stream};
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use self::contents::Read;
pub use self::session::{Options, Reached, Server};
use super::{
    Api, Put,
    wire::{FolderEntry, ListedCommit, Pull, PutAnswer, Reference, Search, parse},
};
use crate::{
    Base, BlobId, BranchName, CommitId, Entry, EntryKind, Error, LogEntry, OwnerRepo, PullRequest,
    PullRequestRef, Tree,
};

/// Folders that are read for a tree, and how many at a time.
const FOLDERS: usize = 500;
const AT_A_TIME: usize = 4;
/// GitHub lists no more entries of a folder.
const LARGEST_FOLDER: usize = 1_000;
/// Commits on a page.
const PAGE: usize = 100;

impl Server {
    async fn ask<T: DeserializeOwned>(
        &self,
        tool: &'static str,
        of: &OwnerRepo,
        arguments: Value,
    ) -> Result<T, Error> {
        let mut arguments = arguments;
        arguments["owner"] = of.owner().into();
        arguments["repo"] = of.repo().into();
        parse(self.call(tool, arguments).await?.text()?.as_bytes())
    }

    async fn commits(
        &self,
        of: &OwnerRepo,
        from: &str,
        (page, size): (usize, usize),
    ) -> Result<Vec<ListedCommit>, Error> {
        let arguments = json!({"sha": from, "page": page, "perPage": size});
        self.ask("list_commits", of, arguments).await
    }

    async fn contents(
        &self,
        of: &OwnerRepo,
        at: &CommitId,
        path: &str,
    ) -> Result<Option<Read>, Error> {
        plain(path)?;
        let mut arguments = json!({"owner": of.owner(), "repo": of.repo(), "path": path});
        let at_what = self.argument_of_contents().await?;
        arguments[at_what] = at.as_str().into();
        match self.call("get_file_contents", arguments).await {
            Ok(answer) => contents::read(answer).map(Some),
            Err(Error::NotFound { .. }) => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// What is in a folder, and whether that is all.
    async fn folder(
        &self,
        of: &OwnerRepo,
        at: &CommitId,
        path: String,
    ) -> Result<(Vec<FolderEntry>, bool), Error> {
        match self.contents(of, at, &path).await {
            Ok(Some(Read::Folder(entries))) => {
                let is_all = entries.len() < LARGEST_FOLDER;
                Ok((entries, is_all))
            }
            Ok(Some(Read::File { .. })) => Err(Error::invalid("a folder is a file")),
            // The first folder is there, or there is no such commit.
            Ok(None) if path.is_empty() => Err(Error::not_found(format!("commit {at}"))),
            Ok(None) | Err(Error::Unsupported { .. }) => Ok((Vec::new(), false)),
            Err(error) => Err(error),
        }
    }
}

/// Refuses what would mean something else in an address.
fn plain(name: &str) -> Result<(), Error> {
    match name.contains(['?', '#', '%', '&', '+', '\\']) {
        true => Err(Error::Unsupported { what: "a name with one of ? # % & + \\" }),
        false => Ok(()),
    }
}

fn text(content: &[u8]) -> Result<&str, Error> {
    std::str::from_utf8(content).map_err(|_| Error::Unsupported { what: "a file that is not text" })
}

#[async_trait]
impl Api for Server {
    async fn default_branch(&self, of: &OwnerRepo) -> Result<String, Error> {
        let query = json!({"query": format!("repo:{of} fork:true"), "perPage": 5});
        let answer = match self.call("search_repositories", query).await {
            // A search for a repository that one may not see is not valid.
            Err(Error::Refused { .. }) => return Err(Error::not_found("the repository")),
            answer => answer?,
        };
        let found: Search = parse(answer.text()?.as_bytes())?;
        let is_it = |name: &str| name.eq_ignore_ascii_case(&of.to_string());
        let repo = found.items.into_iter().find(|repo| is_it(&repo.full_name));
        Ok(repo.ok_or_else(|| Error::not_found("the repository"))?.default_branch)
    }

    async fn tip(&self, of: &OwnerRepo, branch: &BranchName) -> Result<Option<CommitId>, Error> {
        match self.commits(of, branch.as_str(), (1, 1)).await {
            Ok(commits) => commits.first().map(ListedCommit::id).transpose(),
            Err(Error::NotFound { .. }) => Ok(None),
            Err(error) => Err(error),
        }
    }

    async fn tree(&self, of: &OwnerRepo, at: &CommitId) -> Result<Tree, Error> {
        let (mut entries, mut truncated, mut read) = (Vec::new(), false, 0);
        let mut level = vec![String::new()];
        while !level.is_empty() {
            let left = FOLDERS - read;
            truncated |= level.len() > left;
            level.truncate(left);
            read += level.len();
            let asked = level.into_iter().map(|path| self.folder(of, at, path));
            let folders: Vec<_> = stream::iter(asked).buffered(AT_A_TIME).try_collect().await?;
            level = Vec::new();
            for (found, is_all) in folders {
                truncated |= !is_all;
                for entry in found {
                    let kind = match (entry.r#type.as_str(), &entry.download_url) {
                        ("dir", _) => {
                            level.push(entry.path);
                            continue;
                        }
                        ("submodule", _) | ("file", None) => EntryKind::Submodule,
                        ("symlink", _) => EntryKind::Link,
                        _ => EntryKind::File,
                    };
                    let size = if kind == EntryKind::File { entry.size } else { 0 };
                    entries.push(Entry { path: entry.path, kind, size });
                }
            }
        }
        Ok(Tree { entries, truncated })
    }

    async fn file(
        &self,
        of: &OwnerRepo,
        at: &CommitId,
        path: &str,
        most: u64,
    ) -> Result<Option<Vec<u8>>, Error> {
        let Some(Read::File { blob, size, content }) = self.contents(of, at, path).await? else {
            return Ok(None);
        };
        if size > most {
            return Err(Error::TooLarge { path: path.to_owned(), size, most });
        }
        // The server turns every file into text. If that was not what is in it, the bytes are lost.
        match BlobId::of(&content) == blob {
            true => Ok(Some(content)),
            false => Err(Error::Unsupported { what: "a large file or one that is not text" }),
        }
    }

    async fn blob(
        &self,
        of: &OwnerRepo,
        at: &CommitId,
        path: &str,
    ) -> Result<Option<BlobId>, Error> {
        match self.contents(of, at, path).await? {
            Some(Read::File { blob, .. }) => Ok(Some(blob)),
            Some(Read::Folder(_)) | None => Ok(None),
        }
    }

    async fn log(
        &self,
        of: &OwnerRepo,
        at: &CommitId,
        most: usize,
    ) -> Result<Vec<LogEntry>, Error> {
        let mut log = Vec::new();
        for page in 1..=most.div_ceil(PAGE) {
            let commits = self.commits(of, at.as_str(), (page, most.min(PAGE))).await?;
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
        plain(branch.as_str())?;
        plain(&from.branch)?;
        BranchName::new(&from.branch)?;
        let arguments = json!({"branch": branch.as_str(), "from_branch": from.branch});
        let made: Reference = self.ask("create_branch", of, arguments).await?;
        CommitId::parse(&made.object.sha)
    }

    fn writing(&self) -> Option<&tokio::sync::Mutex<()>> {
        Some(&self.writing)
    }

    async fn put_file(&self, of: &OwnerRepo, put: Put<'_>) -> Result<CommitId, Error> {
        plain(put.path)?;
        plain(put.branch.as_str())?;
        let mut arguments = json!({
            "path": put.path,
            "content": text(put.content)?,
            "message": put.message,
            "branch": put.branch.as_str(),
        });
        if let Some(replaces) = put.replaces {
            arguments["sha"] = replaces.as_str().into();
        }
        let made: PutAnswer = self.ask("create_or_update_file", of, arguments).await?;
        CommitId::parse(&made.commit.sha)
    }

    async fn pulls(
        &self,
        of: &OwnerRepo,
        branch: &BranchName,
    ) -> Result<Vec<PullRequestRef>, Error> {
        let head = format!("{}:{branch}", of.owner());
        let arguments = json!({"state": "all", "head": head});
        let pulls: Vec<Pull> = self.ask("list_pull_requests", of, arguments).await?;
        let ours = pulls.into_iter().filter(|pull| pull.is_of(of, branch));
        ours.map(Pull::summary).collect()
    }

    async fn make_pull(
        &self,
        of: &OwnerRepo,
        request: &PullRequest,
    ) -> Result<PullRequestRef, Error> {
        let arguments = json!({
            "title": request.title,
            "body": request.body,
            "head": request.branch.as_str(),
            "base": request.base,
        });
        self.ask::<Pull>("create_pull_request", of, arguments).await?.summary()
    }
}
