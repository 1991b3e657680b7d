//! What every adapter promises, as tests that take any repository with the sample in it.

use std::{path::PathBuf, sync::Arc};

use consign_repositories::{
    Base, BlobId, BranchName, CommitId, EntryKind, Error, Expected, FileChange, FileCommit, Made,
    PullRequest, PullRequestRef, RepoPath, Repository,
};

use crate::sample::{README, branches, commits_on, content_on, edit};

/// A repository, and where its truth is.
pub(crate) struct Stage {
    pub(crate) repository: Arc<dyn Repository>,
    pub(crate) git: PathBuf,
    pub(crate) has_pulls: bool,
}

/// How the engine makes a call: once more after a failure that passes.
pub(crate) async fn again<T, F>(call: impl Fn() -> F) -> T
where
    F: Future<Output = Result<T, Error>>,
{
    for _ in 0..50 {
        match call().await {
            Ok(value) => return value,
            Err(error) if error.is_transient() => tokio::task::yield_now().await,
            Err(error) => panic!("{error:?}"),
        }
    }
    panic!("it never succeeds");
}

pub(crate) fn branch(name: &str) -> BranchName {
    BranchName::new(name).unwrap()
}

pub(crate) fn change(path: &str, content: &str, expected: Expected) -> FileChange {
    FileChange {
        path: RepoPath::new(path).unwrap(),
        content: content.as_bytes().to_vec(),
        message: format!("docs: update {path} via Scribe agent"),
        expected,
        key: format!("job-1/{path}"),
    }
}

pub(crate) fn request(name: &str) -> PullRequest {
    PullRequest {
        branch: branch(name),
        base: "main".to_owned(),
        title: "Documentation".to_owned(),
        body: "Written by Scribe.".to_owned(),
        key: "job-1/pull".to_owned(),
    }
}

/// What a job published.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Published {
    pub(crate) files: Vec<CommitId>,
    pub(crate) pull: Option<PullRequestRef>,
}

const BRANCH: &str = "docs/scribe-1";
const MESSAGES: [&str; 2] =
    ["docs: update README.md via Scribe agent", "docs: update docs/new file.md via Scribe agent"];

/// All of a job's publishing: a branch, two files, a pull request.
pub(crate) async fn publish(on: &Stage) -> Published {
    let it = on.repository.as_ref();
    let default = again(|| it.describe()).await.default_branch;
    let commit = again(|| it.commit_of(&default)).await.unwrap();
    let from = Base { branch: default, commit: commit.clone() };
    let work = branch(BRANCH);
    again(|| it.create_branch(&work, &from)).await;
    let readme = Expected::Content(BlobId::of(README));
    let changes = [
        change("README.md", "# New\n", readme),
        change("docs/new file.md", "New\n", Expected::Absent),
    ];
    let mut files = Vec::new();
    for change in &changes {
        let committed = again(|| it.commit_file(&work, change)).await;
        files.push(committed.committed().expect("it is new").sha.clone());
    }
    let request = request(BRANCH);
    let pull = match on.has_pulls {
        true => Some(again(|| it.open_pull_request(&request)).await.value),
        false => None,
    };
    Published { files, pull }
}

/// One branch, one commit for each file, and what was to be written.
pub(crate) fn is_published_once(on: &Stage) {
    assert_eq!(branches(&on.git), [BRANCH, "main"]);
    assert_eq!(commits_on(&on.git, BRANCH).unwrap(), MESSAGES);
    assert_eq!(content_on(&on.git, BRANCH, "README.md"), b"# New\n");
    assert_eq!(content_on(&on.git, BRANCH, "docs/new file.md"), b"New\n");
    assert_eq!(content_on(&on.git, "main", "README.md"), README);
}

pub(crate) async fn reading(on: &Stage) {
    let it = on.repository.as_ref();
    assert_eq!(it.describe().await.unwrap().default_branch, "main");
    let at = it.commit_of("main").await.unwrap().unwrap();
    for none in ["nothing", "refs/heads/main", "a..b", "", "main^", at.as_str()] {
        assert_eq!(it.commit_of(none).await.unwrap(), None, "{none}");
    }
    let tree = it.tree(&at).await.unwrap();
    let found: Vec<_> =
        tree.entries.iter().map(|it| (it.path.as_str(), it.kind, it.size)).collect();
    let expected = [
        ("README.md", EntryKind::File, README.len() as u64),
        ("bin/run", EntryKind::File, 10),
        ("docs/gr\u{f6}\u{df}e 1.md", EntryKind::File, 6),
        ("link.md", EntryKind::Link, 0),
        ("src/deep/er/lib.rs", EntryKind::File, 16),
        ("vendor/module", EntryKind::Submodule, 0),
    ];
    assert_eq!(found, expected);
    assert!(!tree.truncated);

    assert_eq!(it.read(&at, "README.md", 1 << 20).await.unwrap().unwrap(), README);
    let odd = it.read(&at, "docs/gr\u{f6}\u{df}e 1.md", 1 << 20).await.unwrap().unwrap();
    assert_eq!(odd, "gr\u{fc}n\n".as_bytes());
    for none in ["nothing", "src", "src/deep", "README.md/x", "../main", "", "/README.md", "a//b"] {
        assert_eq!(it.read(&at, none, 1 << 20).await.unwrap(), None, "{none}");
    }
    let large = it.read(&at, "README.md", 5).await.unwrap_err();
    assert!(matches!(large, Error::TooLarge { most: 5, .. }), "{large}");

    let log = it.log(&at, 10).await.unwrap();
    let found: Vec<_> = log.iter().map(|it| (it.summary.as_str(), it.body.as_str())).collect();
    assert_eq!(found, [("Say what it does", ""), ("Begin", "With little.")]);
    assert_eq!((log[0].author.as_str(), log[0].at.as_str()), ("Ada", "2023-11-14T22:15:00Z"));
    assert_eq!(log[0].id, at);
    assert_eq!(it.log(&at, 1).await.unwrap(), log[..1]);
    // An older commit is read as it was.
    assert_eq!(it.read(&log[1].id, "README.md", 100).await.unwrap().unwrap(), b"# Sample\n");

    let unknown = CommitId::parse(&"7".repeat(40)).unwrap();
    let error = it.tree(&unknown).await.unwrap_err();
    assert!(matches!(error, Error::NotFound { .. }), "{error:?}");
}

pub(crate) async fn publishing(on: &Stage) {
    let it = on.repository.as_ref();
    let first = publish(on).await;
    is_published_once(on);
    // All of it again, as after a crash that forgot everything: the same outcome, and nothing new.
    for _ in 0..2 {
        assert_eq!(publish(on).await, first);
        is_published_once(on);
    }
    let (work, main) = (branch(BRANCH), it.commit_of("main").await.unwrap().unwrap());
    let from = Base { branch: "main".to_owned(), commit: main };
    let there = it.create_branch(&work, &from).await.unwrap();
    assert_eq!(there, Made { value: first.files[1].clone(), was_there: true });
    let repeated = change("README.md", "# New\n", Expected::Anything);
    let found = it.commit_file(&work, &repeated).await.unwrap();
    assert!(matches!(&found, FileCommit::Found(it) if it.sha == first.files[0]), "{found:?}");
    // The same content for another reason is no commit.
    let same = FileChange { key: "job-2".to_owned(), ..repeated };
    assert_eq!(it.commit_file(&work, &same).await.unwrap(), FileCommit::Unchanged);
    is_published_once(on);
    match on.has_pulls {
        true => {
            let pull = it.pull_request_of(&work).await.unwrap();
            assert_eq!(pull, first.pull);
            assert!(pull.unwrap().is_open);
            let own = it.pull_request_for(&work, "job-1/pull").await.unwrap();
            assert_eq!(own, first.pull);
            // What another job commits on the branch goes into the open one.
            let other = PullRequest { key: "job-2/pull".to_owned(), ..request(BRANCH) };
            let found = it.open_pull_request(&other).await.unwrap();
            assert!(found.was_there);
            assert_eq!(Some(found.value), first.pull);
        }
        false => {
            let error = it.open_pull_request(&request(BRANCH)).await.unwrap_err();
            assert!(matches!(error, Error::Unsupported { .. }), "{error:?}");
            assert_eq!(it.pull_request_of(&work).await.unwrap(), None);
        }
    }
    // A later change of the same file, by its own key.
    let next = FileChange {
        key: "job-3".to_owned(),
        ..change("README.md", "# Newer\n", Expected::Anything)
    };
    assert!(matches!(it.commit_file(&work, &next).await.unwrap(), FileCommit::New(_)));
    assert_eq!(commits_on(&on.git, BRANCH).unwrap().len(), 3);
    assert_eq!(content_on(&on.git, BRANCH, "README.md"), b"# Newer\n");
}

pub(crate) async fn conflicts(on: &Stage) {
    let it = on.repository.as_ref();
    let commit = it.commit_of("main").await.unwrap().unwrap();
    let from = Base { branch: "main".to_owned(), commit: commit.clone() };
    let is_base = it.create_branch(&branch("main"), &from).await.unwrap_err();
    assert!(matches!(is_base, Error::Name(_)), "{is_base:?}");
    let missing = change("README.md", "x", Expected::Anything);
    let missing = it.commit_file(&branch("nowhere"), &missing).await.unwrap_err();
    assert!(matches!(missing, Error::NotFound { .. }), "{missing:?}");

    let made = it.create_branch(&branch("work"), &from).await.unwrap();
    assert_eq!(made, Made { value: commit, was_there: false });
    let git = git2::Repository::open(&on.git).unwrap();
    edit(&git, "work", "README.md", b"# By hand\n");
    let readme = || Expected::Content(BlobId::of(README));
    for (path, expected) in
        [("README.md", readme()), ("README.md", Expected::Absent), ("gone.md", readme())]
    {
        let error = it.commit_file(&branch("work"), &change(path, "x", expected)).await;
        let error = error.unwrap_err();
        assert!(matches!(error, Error::Conflict { .. }), "{path}: {error:?}");
        assert!(!error.is_transient());
    }
    assert_eq!(commits_on(&on.git, "work").unwrap(), ["By hand"]);
    // Our commit was made, then somebody changed the file: the repeat leaves their work alone.
    let ours = change("docs/a.md", "ours", Expected::Absent);
    let first = it.commit_file(&branch("work"), &ours).await.unwrap();
    edit(&git, "work", "docs/a.md", b"theirs");
    let second = it.commit_file(&branch("work"), &ours).await.unwrap();
    assert_eq!(second.committed(), first.committed());
    assert_eq!(content_on(&on.git, "work", "docs/a.md"), b"theirs");
    let bad = FileChange { key: "a\nb".to_owned(), ..ours };
    assert!(matches!(it.commit_file(&branch("work"), &bad).await, Err(Error::Refused { .. })));
}

/// Several at once, on one branch and with one key: nothing is lost, and nothing is there twice.
pub(crate) async fn at_once(on: &Stage) {
    let commit = on.repository.commit_of("main").await.unwrap().unwrap();
    let from = Base { branch: "main".to_owned(), commit };
    let mut tasks = tokio::task::JoinSet::new();
    for number in 0..8 {
        let (it, from) = (on.repository.clone(), from.clone());
        tasks.spawn(async move {
            let work = branch("work");
            again(|| it.create_branch(&work, &from)).await;
            let path = format!("docs/{}.md", number / 2);
            let change = change(&path, &path, Expected::Anything);
            // Who is told of a conflict reads again and decides again.
            for _ in 0..50 {
                match it.commit_file(&work, &change).await {
                    Ok(_) => return,
                    Err(error) if error.is_transient() => {}
                    Err(Error::Conflict { .. }) => {}
                    Err(error) => panic!("{error:?}"),
                }
                tokio::task::yield_now().await;
            }
            panic!("it never succeeds");
        });
    }
    tasks.join_all().await;
    let mut commits = commits_on(&on.git, "work").unwrap();
    commits.sort();
    let expected = (0..4).map(|it| format!("docs: update docs/{it}.md via Scribe agent"));
    assert_eq!(commits, expected.collect::<Vec<_>>());
}
