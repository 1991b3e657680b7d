//! The calls that reach a repository: look, branch, commit, pull request, and the last look before the first write.
//!
//! Those that write are keyed: the repository keeps the keys of commits and of pull requests, and a branch is found by
//! its name. What cannot be done for good is an answer that says why, because a failed publish fails no job.

use std::{sync::Arc, time::Duration};

use async_trait::async_trait;
use consign_engine::{
    Agent, Agents, Attempt, Data, Effect, Failure, Fault, Invoker, Nanos, Owner, Probe, Reply,
};
use consign_repositories::{
    Base, BlobId, BranchName, CommitId, Committed, Error, Expected, FileChange, FileCommit,
    PullRequest, RepoPath, Repository, committed_for,
};
use serde::{Deserialize, Serialize, de::DeserializeOwned};

use super::{
    OpenRepository, fault_of,
    look::{BranchRule, Looked, Site, blobs, look, newest},
};

pub(crate) const LOOK: &str = "authoring/publish.look";
pub(crate) const RECHECK: &str = "authoring/publish.recheck";
pub(crate) const BRANCH: &str = "authoring/publish.branch";
pub(crate) const COMMIT: &str = "authoring/publish.commit";
pub(crate) const PULL: &str = "authoring/publish.pull_request";

const LONGEST: Duration = Duration::from_secs(120);
/// Commits that are searched for a key.
const LOOKBACK: usize = 100;

#[derive(Serialize, Deserialize)]
pub(crate) struct LookInput {
    pub(crate) site: Site,
    pub(crate) rule: BranchRule,
    pub(crate) files: Vec<String>,
}

#[derive(Serialize, Deserialize)]
pub(crate) struct LookOutput {
    pub(crate) looked: Looked,
    /// The files as they are, by the id of their content.
    pub(crate) files: Vec<Option<String>>,
}

#[derive(Serialize, Deserialize)]
pub(crate) struct RecheckInput {
    pub(crate) site: Site,
    pub(crate) looked: Looked,
    pub(crate) files: Vec<(String, Option<String>)>,
}

/// How things stand now.
#[derive(Serialize, Deserialize)]
pub(crate) struct RecheckOutput {
    /// Nothing has changed.
    pub(crate) same: bool,
    pub(crate) base: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) head: Option<String>,
}

#[derive(Serialize, Deserialize)]
pub(crate) struct BranchInput {
    pub(crate) site: Site,
    pub(crate) looked: Looked,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct BranchOutput {
    /// It is there and may be written to.
    pub(crate) is_there: bool,
    /// This job made it.
    pub(crate) created: bool,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) error: Option<String>,
}

#[derive(Serialize, Deserialize)]
pub(crate) struct CommitInput {
    pub(crate) site: Site,
    pub(crate) branch: String,
    pub(crate) path: String,
    pub(crate) content: String,
    pub(crate) message: String,
    /// The id of the content that is replaced; none where there must be no such file.
    pub(crate) expected: Option<String>,
    /// A person has seen and approved the file.
    pub(crate) approved: bool,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct CommitOutput {
    /// None if the file was as it should be already, or could not be committed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) sha: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) message: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) error: Option<String>,
}

#[derive(Serialize, Deserialize)]
pub(crate) struct PullInput {
    pub(crate) site: Site,
    pub(crate) branch: String,
    pub(crate) title: String,
    pub(crate) body: String,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct PullOutput {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) url: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) error: Option<String>,
    /// This kind of repository has no pull requests.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub(crate) unsupported: bool,
}

/// Adds the agents that publish.
pub(crate) fn agents(agents: Agents, repositories: &Arc<dyn OpenRepository>) -> Agents {
    let all = [
        (LOOK, Effect::Idempotent, Work::Look),
        (RECHECK, Effect::Idempotent, Work::Recheck),
        (BRANCH, Effect::Keyed, Work::Branch),
        (COMMIT, Effect::Keyed, Work::Commit),
        (PULL, Effect::Keyed, Work::Pull),
    ];
    all.into_iter().fold(agents, |agents, (name, effect, work)| {
        let publisher = Publisher { repositories: repositories.clone(), work };
        agents.with(name, Agent::new(effect, publisher).with_timeout(LONGEST))
    })
}

#[derive(Clone, Copy)]
enum Work {
    Look,
    Recheck,
    Branch,
    Commit,
    Pull,
}

struct Publisher {
    repositories: Arc<dyn OpenRepository>,
    work: Work,
}

#[async_trait]
impl Invoker for Publisher {
    fn worst_case(&self, _input: &Data) -> Option<Nanos> {
        Some(Nanos::ZERO)
    }

    async fn invoke(&self, attempt: Attempt) -> Result<Reply, Failure> {
        let done = tokio::select! {
            done = self.work(&attempt) => done,
            // What was sent may have arrived: the next look finds it.
            () = attempt.cancelled() => Err(Fault::outcome_unknown("CANCELLED", "the call was cancelled")),
        };
        let reply = done.map(|output| Reply::new(output, Nanos::ZERO));
        reply.map_err(|fault| Failure::new(fault, Some(Nanos::ZERO)))
    }

    async fn probe(&self, attempt: Attempt) -> Probe {
        match self.look_for(&attempt).await {
            Ok(Some(output)) => Probe::Done(Reply::new(output, Nanos::ZERO)),
            Ok(None) => Probe::NotDone,
            Err(_) => Probe::Unknown,
        }
    }
}

impl Publisher {
    async fn work(&self, attempt: &Attempt) -> Result<Data, Fault> {
        match self.work {
            Work::Look => {
                let LookInput { site, rule, files } = read(attempt)?;
                let repository = self.open(&attempt.owner, &site).await?;
                let job = attempt.run.to_string();
                let looked = look(&*repository, &site, &rule, &job).await.map_err(fault)?;
                let ground = looked.ground().map_err(fault)?;
                let files = blobs(&*repository, &ground, &files).await.map_err(fault)?;
                Ok(Data::of(&LookOutput { looked, files }))
            }
            Work::Recheck => {
                let RecheckInput { site, looked, files } = read(attempt)?;
                let repository = self.open(&attempt.owner, &site).await?;
                let now = recheck(&*repository, &site, &looked, &files).await.map_err(fault)?;
                Ok(Data::of(&now))
            }
            Work::Branch => {
                let BranchInput { site, looked } = read(attempt)?;
                let repository = self.open(&attempt.owner, &site).await?;
                Ok(Data::of(&make_branch(&*repository, &site, &looked).await?))
            }
            Work::Commit => {
                let input: CommitInput = read(attempt)?;
                let repository = self.open(&attempt.owner, &input.site).await?;
                Ok(Data::of(&commit(&*repository, input, attempt.idempotency_key()).await?))
            }
            Work::Pull => {
                let input: PullInput = read(attempt)?;
                let repository = self.open(&attempt.owner, &input.site).await?;
                Ok(Data::of(
                    &open_pull_request(&*repository, input, attempt.idempotency_key()).await?,
                ))
            }
        }
    }

    /// What an earlier attempt did, if it did it.
    async fn look_for(&self, attempt: &Attempt) -> Result<Option<Data>, Fault> {
        match self.work {
            Work::Look | Work::Recheck => Ok(None),
            Work::Branch => {
                let BranchInput { site, looked } = read(attempt)?;
                let repository = self.open(&attempt.owner, &site).await?;
                let there = repository.commit_of(&looked.branch).await.map_err(fault)?;
                let made =
                    BranchOutput { is_there: true, created: looked.head.is_none(), error: None };
                Ok(there.map(|_| Data::of(&made)))
            }
            Work::Commit => {
                let input: CommitInput = read(attempt)?;
                let repository = self.open(&attempt.owner, &input.site).await?;
                let Some(head) = repository.commit_of(&input.branch).await.map_err(fault)? else {
                    return Ok(None);
                };
                let log = repository.log(&head, LOOKBACK).await.map_err(fault)?;
                let found = committed_for(&log, &attempt.idempotency_key());
                Ok(found.map(|found| Data::of(&committed(&found))))
            }
            Work::Pull => {
                let input: PullInput = read(attempt)?;
                let repository = self.open(&attempt.owner, &input.site).await?;
                let branch = BranchName::new(&input.branch).map_err(|why| fault(why.into()))?;
                let found = repository.pull_request_for(&branch, &attempt.idempotency_key()).await;
                let found = found.map_err(fault)?;
                let made = |url| PullOutput { url: Some(url), error: None, unsupported: false };
                Ok(found.map(|request| Data::of(&made(request.url))))
            }
        }
    }

    async fn open(&self, owner: &Owner, site: &Site) -> Result<Arc<dyn Repository>, Fault> {
        site.open(&*self.repositories, owner).await
    }
}

/// Whether what a person approved is what would be published now.
async fn recheck(
    repository: &dyn Repository,
    site: &Site,
    looked: &Looked,
    files: &[(String, Option<String>)],
) -> Result<RecheckOutput, Error> {
    let base = newest(repository, &site.base_branch).await?.to_string();
    let head = repository.commit_of(&looked.branch).await?.map(|head| head.to_string());
    let mut same = base == looked.base && head == looked.head;
    if base == looked.base && !same {
        // The branch has moved: what counts is whether the files have.
        let ground = CommitId::parse(head.as_deref().unwrap_or(&base))?;
        let paths: Vec<String> = files.iter().map(|(path, _)| path.clone()).collect();
        let now = blobs(repository, &ground, &paths).await?;
        same = files.iter().zip(now).all(|((_, then), now)| *then == now);
    }
    Ok(RecheckOutput { same, base, head })
}

async fn make_branch(
    repository: &dyn Repository,
    site: &Site,
    looked: &Looked,
) -> Result<BranchOutput, Fault> {
    let made = async {
        let branch = BranchName::apart_from(&looked.branch, &site.base_branch)?;
        let commit = CommitId::parse(&looked.base)?;
        let base = Base { branch: site.base_branch.clone(), commit };
        repository.create_branch(&branch, &base).await
    };
    let error = match made.await {
        // One that was not there when this job looked, and begins where this job would begin it, is an earlier attempt's.
        Ok(made) => {
            let ours =
                looked.head.is_none() && (!made.was_there || made.value.as_str() == looked.base);
            return Ok(BranchOutput { is_there: true, created: ours, error: None });
        }
        Err(error) if error.is_transient() => return Err(fault(error)),
        Err(error) => error,
    };
    // Refused, but somebody else may have made it.
    let is_base = matches!(error, Error::Name(_));
    let is_there = match is_base {
        true => false,
        false => repository.commit_of(&looked.branch).await.map_err(fault)?.is_some(),
    };
    Ok(BranchOutput { is_there, created: false, error: Some(error.to_string()) })
}

async fn commit(
    repository: &dyn Repository,
    input: CommitInput,
    key: String,
) -> Result<CommitOutput, Fault> {
    let failed = |why: String| CommitOutput { sha: None, message: None, error: Some(why) };
    let made = async {
        let path = RepoPath::new(&input.path)?;
        if path.needs_approval() && !input.approved {
            let why = format!("{path} is written only after a person has approved it");
            return Err(Error::Refused { why });
        }
        let expected = match &input.expected {
            Some(id) => Expected::Content(BlobId::parse(id)?),
            None => Expected::Absent,
        };
        let (content, message) = (input.content.into_bytes(), input.message);
        let change = FileChange { path, content, message, expected, key };
        repository.commit_file(&BranchName::new(&input.branch)?, &change).await
    };
    match made.await {
        Ok(FileCommit::New(made) | FileCommit::Found(made)) => Ok(committed(&made)),
        Ok(FileCommit::Unchanged) => Ok(CommitOutput { sha: None, message: None, error: None }),
        Err(error) if error.is_transient() => Err(fault(error)),
        Err(error) => Ok(failed(format!("{}: {error}", input.path))),
    }
}

fn committed(made: &Committed) -> CommitOutput {
    let (sha, message) = (Some(made.sha.to_string()), Some(made.message.clone()));
    CommitOutput { sha, message, error: None }
}

async fn open_pull_request(
    repository: &dyn Repository,
    input: PullInput,
    key: String,
) -> Result<PullOutput, Fault> {
    let made = async {
        let request = PullRequest {
            branch: BranchName::apart_from(&input.branch, &input.site.base_branch)?,
            base: input.site.base_branch.clone(),
            title: input.title,
            body: input.body,
            key,
        };
        repository.open_pull_request(&request).await
    };
    match made.await {
        Ok(made) => Ok(PullOutput { url: Some(made.value.url), error: None, unsupported: false }),
        Err(error) if error.is_transient() => Err(fault(error)),
        Err(error) => {
            let unsupported = matches!(error, Error::Unsupported { .. });
            Ok(PullOutput { url: None, error: Some(error.to_string()), unsupported })
        }
    }
}

#[expect(clippy::needless_pass_by_value, reason = "it is given to map_err")]
fn fault(error: Error) -> Fault {
    fault_of(&error)
}

fn read<T: DeserializeOwned>(attempt: &Attempt) -> Result<T, Fault> {
    attempt.input.to().map_err(|cause| {
        Fault::permanent("INVALID_INPUT", format!("what the step is given: {cause}"))
    })
}
