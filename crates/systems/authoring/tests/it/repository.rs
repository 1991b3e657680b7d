//! A repository in memory that counts its writes, and can fail, or lose its answers.

use std::{
    collections::BTreeMap,
    path::Path,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use async_trait::async_trait;
use consign_authoring::publish::OpenRepository;
use consign_engine::{Fault, Owner};
use consign_repositories::{
    Base, BlobId, BranchName, CommitId, Committed, Described, Entry, EntryKind, Error, Expected,
    FileChange, FileCommit, LogEntry, Made, OwnerRepo, PullRequest, PullRequestRef, Repository,
    Tree, committed_for,
};
use sha2::{Digest, Sha256};

pub(crate) type Files = BTreeMap<String, Vec<u8>>;

/// How often, and with what.
pub(crate) type Failing = (u32, fn() -> Error);

#[derive(Clone, Default)]
pub(crate) struct Double(Arc<Mutex<State>>);

#[derive(Default)]
pub(crate) struct State {
    pub(crate) branches: BTreeMap<String, String>,
    commits: BTreeMap<String, (Files, LogEntry, Option<String>)>,
    pub(crate) pulls: Vec<(String, PullRequestRef, PullRequest)>,
    /// The writes that had an effect, in order.
    pub(crate) writes: Vec<String>,
    /// Every call.
    pub(crate) calls: Vec<String>,
    /// What fails, by the name of the call, and how often.
    pub(crate) fails: BTreeMap<&'static str, Failing>,
    /// Calls that work and say that they did not, by name, and how often.
    pub(crate) loses: BTreeMap<&'static str, u32>,
}

impl Double {
    pub(crate) fn of(files: &[(&str, &str)]) -> Self {
        let double = Self::default();
        let files = files.iter();
        let files = files.map(|(path, text)| ((*path).to_owned(), text.as_bytes().to_vec()));
        double.state().commit("main", files.collect(), "start", "");
        double
    }

    pub(crate) fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Somebody else commits a file.
    pub(crate) fn change(&self, branch: &str, path: &str, text: &str) {
        let mut state = self.state();
        let mut files = state.files(branch);
        files.insert(path.to_owned(), text.as_bytes().to_vec());
        state.commit(branch, files, &format!("change {path}"), "");
    }

    /// Somebody else commits all files.
    pub(crate) fn replace(&self, branch: &str, files: Files) {
        self.state().commit(branch, files, "change everything", "");
    }

    pub(crate) fn text(&self, branch: &str, path: &str) -> Option<String> {
        let files = self.state().files(branch);
        files.get(path).map(|text| String::from_utf8_lossy(text).into_owned())
    }

    pub(crate) fn writes(&self) -> Vec<String> {
        self.state().writes.clone()
    }

    /// Notes a call, and fails it if it is to fail. Says whether its answer is to be lost.
    fn begin(&self, name: &'static str) -> Result<bool, Error> {
        let mut state = self.state();
        state.calls.push(name.to_owned());
        if let Some((times, error)) = state.fails.get_mut(name)
            && *times > 0
        {
            *times -= 1;
            return Err(error());
        }
        let lost = state.loses.get_mut(name).is_some_and(|times| {
            let loses = *times > 0;
            *times = times.saturating_sub(1);
            loses
        });
        Ok(lost)
    }

    fn end<T>(lost: bool, value: T) -> Result<T, Error> {
        match lost {
            true => Err(Error::Unreachable { why: "the answer was lost".to_owned() }),
            false => Ok(value),
        }
    }
}

impl State {
    pub(crate) fn files(&self, branch: &str) -> Files {
        let tip = self.branches.get(branch);
        tip.and_then(|tip| self.commits.get(tip)).map(|it| it.0.clone()).unwrap_or_default()
    }

    fn commit(&mut self, branch: &str, files: Files, summary: &str, body: &str) -> CommitId {
        let parent = self.branches.get(branch).cloned();
        let seed = format!("{parent:?} {summary} {body} {files:?}");
        let id = hex::encode(Sha256::digest(seed.as_bytes()))[..40].to_owned();
        let entry = LogEntry {
            id: CommitId::parse(&id).expect("it is an id"),
            summary: summary.to_owned(),
            body: body.to_owned(),
            author: "Ada".to_owned(),
            at: "2026-01-31T10:00:00Z".to_owned(),
        };
        self.commits.insert(id.clone(), (files, entry, parent));
        self.branches.insert(branch.to_owned(), id.clone());
        CommitId::parse(&id).expect("it is an id")
    }

    fn pull_for(&self, branch: &str, key: &str) -> Option<PullRequestRef> {
        let of = || self.pulls.iter().filter(|(of, _, _)| of == branch).map(|(_, value, _)| value);
        let own = of().find(|value| value.key.as_deref() == Some(key));
        own.or_else(|| of().find(|value| value.is_open)).cloned()
    }

    fn log(&self, at: &str, most: usize) -> Vec<LogEntry> {
        let (mut log, mut next) = (Vec::new(), Some(at.to_owned()));
        while let Some((_, entry, parent)) = next.and_then(|id| self.commits.get(&id)) {
            if log.len() >= most {
                break;
            }
            log.push(entry.clone());
            next = parent.clone();
        }
        log
    }
}

#[async_trait]
impl Repository for Double {
    async fn describe(&self) -> Result<Described, Error> {
        Ok(Described { default_branch: "main".to_owned() })
    }

    async fn commit_of(&self, branch: &str) -> Result<Option<CommitId>, Error> {
        self.begin("commit_of")?;
        let tip = self.state().branches.get(branch).cloned();
        tip.map(|tip| CommitId::parse(&tip)).transpose()
    }

    async fn tree(&self, at: &CommitId) -> Result<Tree, Error> {
        self.begin("tree")?;
        let state = self.state();
        let files = state.commits.get(at.as_str()).map(|it| it.0.clone()).unwrap_or_default();
        let entry = |(path, text): (String, Vec<u8>)| Entry {
            path,
            kind: EntryKind::File,
            size: text.len() as u64,
        };
        Ok(Tree { entries: files.into_iter().map(entry).collect(), truncated: false })
    }

    async fn read(&self, at: &CommitId, path: &str, _most: u64) -> Result<Option<Vec<u8>>, Error> {
        self.begin("read")?;
        let state = self.state();
        Ok(state.commits.get(at.as_str()).and_then(|it| it.0.get(path).cloned()))
    }

    async fn log(&self, at: &CommitId, most: usize) -> Result<Vec<LogEntry>, Error> {
        self.begin("log")?;
        Ok(self.state().log(at.as_str(), most))
    }

    async fn create_branch(
        &self,
        branch: &BranchName,
        from: &Base,
    ) -> Result<Made<CommitId>, Error> {
        let lost = self.begin("create_branch")?;
        let mut state = self.state();
        if let Some(tip) = state.branches.get(branch.as_str()).cloned() {
            return Self::end(lost, Made { value: CommitId::parse(&tip)?, was_there: true });
        }
        state.branches.insert(branch.to_string(), from.commit.to_string());
        state.writes.push(format!("branch {branch}"));
        Self::end(lost, Made { value: from.commit.clone(), was_there: false })
    }

    async fn commit_file(
        &self,
        branch: &BranchName,
        change: &FileChange,
    ) -> Result<FileCommit, Error> {
        let lost = self.begin("commit_file")?;
        let mut state = self.state();
        let Some(tip) = state.branches.get(branch.as_str()).cloned() else {
            return Err(Error::NotFound { what: format!("the branch {branch}") });
        };
        if let Some(found) = committed_for(&state.log(&tip, 100), &change.key) {
            return Self::end(lost, FileCommit::Found(found));
        }
        let mut files = state.files(branch.as_str());
        let path = change.path.as_str();
        let there = files.get(path).map(|content| BlobId::of(content));
        if there == Some(BlobId::of(&change.content)) {
            return Self::end(lost, FileCommit::Unchanged);
        }
        let fits = match (&change.expected, &there) {
            (Expected::Anything, _) | (Expected::Absent, None) => true,
            (Expected::Content(expected), Some(there)) => expected == there,
            (Expected::Absent, Some(_)) | (Expected::Content(_), None) => false,
        };
        if !fits {
            return Err(Error::Conflict { what: format!("{path} was changed by somebody else") });
        }
        files.insert(path.to_owned(), change.content.clone());
        let body = format!("Consign-Key: {}", change.key);
        let sha = state.commit(branch.as_str(), files, &change.message, &body);
        state.writes.push(format!("commit {path} on {branch}"));
        Self::end(lost, FileCommit::New(Committed { sha, message: change.message.clone() }))
    }

    async fn open_pull_request(
        &self,
        request: &PullRequest,
    ) -> Result<Made<PullRequestRef>, Error> {
        let lost = self.begin("open_pull_request")?;
        let mut state = self.state();
        let branch = request.branch.to_string();
        if let Some(value) = state.pull_for(&branch, &request.key) {
            return Self::end(lost, Made { value, was_there: true });
        }
        let number = state.pulls.len() as u64 + 1;
        let url = format!("https://github.com/o/demo/pull/{number}");
        let key = Some(request.key.clone());
        let value = PullRequestRef { url, number, is_open: true, key };
        state.pulls.push((branch.clone(), value.clone(), request.clone()));
        state.writes.push(format!("pull request of {branch}"));
        Self::end(lost, Made { value, was_there: false })
    }

    async fn pull_request_of(&self, branch: &BranchName) -> Result<Option<PullRequestRef>, Error> {
        self.begin("pull_request_of")?;
        let state = self.state();
        let mut pulls = state.pulls.iter().rev();
        Ok(pulls.find(|(of, _, _)| of == branch.as_str()).map(|(_, value, _)| value.clone()))
    }

    async fn pull_request_for(
        &self,
        branch: &BranchName,
        key: &str,
    ) -> Result<Option<PullRequestRef>, Error> {
        self.begin("pull_request_for")?;
        Ok(self.state().pull_for(branch.as_str(), key))
    }
}

/// Opens the one repository that there is.
pub(crate) struct One(pub(crate) Double);

#[async_trait]
impl OpenRepository for One {
    async fn open(
        &self,
        _owner: &Owner,
        _name: &OwnerRepo,
        _folder: Option<&Path>,
    ) -> Result<Arc<dyn Repository>, Fault> {
        Ok(Arc::new(self.0.clone()))
    }
}

/// A small repository whose documentation can be true.
pub(crate) fn sample() -> Double {
    Double::of(&[
        (
            "Cargo.toml",
            "[package]\nname = \"shop\"\nversion = \"1.4.2\"\nedition = \"2024\"\nrust-version = \"1.80\"\nlicense = \"MIT\"\ndescription = \"Orders of a small shop\"\n",
        ),
        (
            "src/main.rs",
            "//! The shop.\n\nfn main() {\n    let address = std::env::var(\"SHOP_ADDRESS\");\n    println!(\"{address:?}\");\n}\n",
        ),
        (
            "src/lib.rs",
            "/// Adds an order.\npub fn add_order(name: &str) -> usize {\n    name.len()\n}\n",
        ),
        (
            "LICENSE",
            "MIT License\n\nCopyright (c) 2026 Ada\n\nPermission is hereby granted, free of charge\n",
        ),
    ])
}
