//! What GitHub answers, as far as we read it. Its MCP server hands on the same documents.

use serde::{Deserialize, de::DeserializeOwned};

use crate::{BranchName, CommitId, Error, LogEntry, OwnerRepo, PullRequestRef, key};

/// Names that people give themselves.
const LONGEST_NAME: usize = 300;

pub(super) fn parse<T: DeserializeOwned>(body: &[u8]) -> Result<T, Error> {
    // What serde says may quote the document, so only the place is told.
    serde_json::from_slice(body).map_err(|cause| {
        Error::invalid(format!("line {}, column {}", cause.line(), cause.column()))
    })
}

#[derive(Deserialize)]
pub(super) struct Repo {
    #[serde(default)]
    pub(super) full_name: String,
    pub(super) default_branch: String,
}

#[derive(Deserialize)]
pub(super) struct Search {
    pub(super) items: Vec<Repo>,
}

#[derive(Deserialize)]
pub(super) struct Reference {
    pub(super) object: Sha,
}

#[derive(Deserialize)]
pub(super) struct Sha {
    pub(super) sha: String,
}

#[derive(Deserialize)]
pub(super) struct GitTree {
    pub(super) tree: Vec<TreeEntry>,
    #[serde(default)]
    pub(super) truncated: bool,
}

#[derive(Deserialize)]
pub(super) struct TreeEntry {
    pub(super) path: String,
    pub(super) mode: String,
    pub(super) r#type: String,
    #[serde(default)]
    pub(super) size: u64,
}

/// A file, or the entries of a folder.
#[derive(Deserialize)]
#[serde(untagged)]
pub(super) enum Contents {
    Folder(Vec<FolderEntry>),
    File(File),
}

#[derive(Deserialize)]
pub(super) struct File {
    pub(super) r#type: String,
    pub(super) sha: String,
    pub(super) size: u64,
    pub(super) content: Option<String>,
    pub(super) encoding: Option<String>,
}

#[derive(Deserialize)]
pub(super) struct FolderEntry {
    pub(super) r#type: String,
    pub(super) path: String,
    #[serde(default)]
    pub(super) size: u64,
    /// Absent for a submodule, which is listed as a file.
    pub(super) download_url: Option<String>,
}

#[derive(Deserialize)]
pub(super) struct PutAnswer {
    pub(super) commit: Sha,
}

#[derive(Deserialize)]
pub(super) struct ListedCommit {
    sha: String,
    commit: CommitText,
}

#[derive(Deserialize)]
struct CommitText {
    message: String,
    author: Option<Author>,
}

#[derive(Deserialize)]
struct Author {
    #[serde(default)]
    name: String,
    #[serde(default)]
    date: String,
}

impl ListedCommit {
    pub(super) fn id(&self) -> Result<CommitId, Error> {
        CommitId::parse(&self.sha)
    }

    pub(super) fn entry(self) -> Result<LogEntry, Error> {
        let id = self.id()?;
        let (summary, body) = key::split(&self.commit.message);
        let author = self.commit.author;
        let (name, date) = author.map_or_else(Default::default, |it| (it.name, it.date));
        let at = date.parse::<jiff::Timestamp>().unwrap_or_default().to_string();
        let author = name.chars().filter(|it| !it.is_control()).take(LONGEST_NAME).collect();
        Ok(LogEntry { id, summary, body, author, at })
    }
}

#[derive(Deserialize)]
pub(super) struct Pull {
    number: Option<u64>,
    html_url: Option<String>,
    url: Option<String>,
    #[serde(default)]
    state: String,
    head: Option<Head>,
    body: Option<String>,
}

#[derive(Deserialize)]
struct Head {
    r#ref: String,
    user: Option<User>,
}

#[derive(Deserialize)]
struct User {
    login: String,
}

impl Pull {
    /// Whether it comes from this branch of the repository itself: a filter that GitHub does not
    /// understand gives all pull requests there are.
    pub(super) fn is_of(&self, of: &OwnerRepo, branch: &BranchName) -> bool {
        let Some(head) = &self.head else { return false };
        let owner = head.user.as_ref().map(|user| user.login.as_str()).unwrap_or_default();
        head.r#ref == branch.as_str() && owner.eq_ignore_ascii_case(of.owner())
    }

    /// The one that was just opened may be described by its address alone.
    pub(super) fn summary(self) -> Result<PullRequestRef, Error> {
        let url = self.html_url.or(self.url).ok_or_else(|| Error::invalid("it has no address"))?;
        let last = || url.rsplit('/').next()?.parse().ok();
        let number = self.number.or_else(last).ok_or_else(|| Error::invalid("it has no number"))?;
        let is_web = url.starts_with("https://") || url.starts_with("http://");
        if !is_web || url.len() > 2_000 || url.contains(char::is_control) {
            return Err(Error::invalid("its address is not one of the web"));
        }
        let is_open = matches!(self.state.as_str(), "open" | "");
        let key = self.body.as_deref().and_then(key::of_text);
        Ok(PullRequestRef { url, number, is_open, key })
    }
}
