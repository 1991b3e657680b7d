//! The agents of a job's own steps: they take, lay and check the workspace, make recovery points, and judge answers that
//! came over the bridge. Each can be repeated: after a crash it does the same again.

use std::{path::PathBuf, sync::Arc, time::Duration};

use async_trait::async_trait;
use consign_contracts::secrets;
use consign_engine::{Agent, Attempt, Data, Effect, Failure, Fault, Invoker, Nanos, Reply};
use consign_invokers::process::{Definition, Subprocess};
use serde::de::DeserializeOwned;

use crate::{
    added, fault_of, git,
    judged::{Came, Judged, sent},
    request::Prepared,
    role_agent::{JobKeys, on_disk},
    steps::{Accept, Accepted, Check, Checked, Claim, Claimed, Judge},
    turn::CheckResult,
    workspace::{Change, Snapshots, What},
};

/// A step may take this long: a workspace can be large.
const LONGEST: Duration = Duration::from_secs(3600);
/// What is kept of what a check writes.
const MOST_SAID: usize = 64 << 10;
/// Files of a recovery point are listed up to this many.
const MOST_CHANGED: usize = 1000;

fn unpaid(fault: Fault) -> Failure {
    Failure::new(fault, Some(Nanos::ZERO))
}

fn input<T: DeserializeOwned>(attempt: &Attempt) -> Result<T, Failure> {
    attempt.input.to().map_err(|cause| {
        unpaid(Fault::permanent("INVALID_INPUT", format!("a step of a job: {cause}")))
    })
}

fn free(output: &impl serde::Serialize) -> Reply {
    Reply::new(Data::of(output), Nanos::ZERO)
}

fn agent(invoker: impl Invoker + 'static) -> Agent {
    Agent::new(Effect::Idempotent, invoker).with_timeout(LONGEST)
}

/// Takes the workspace as it is, or lays an earlier one.
pub(crate) fn claim() -> Agent {
    agent(ClaimStep)
}

struct ClaimStep;

#[async_trait]
impl Invoker for ClaimStep {
    fn worst_case(&self, _input: &Data) -> Option<Nanos> {
        Some(Nanos::ZERO)
    }

    async fn invoke(&self, attempt: Attempt) -> Result<Reply, Failure> {
        let Claim { directory, lay } = input(&attempt)?;
        let claimed = on_disk(move || {
            let (snapshots, workspace) = opened(&directory)?;
            if let Some(tree) = lay {
                added::lay(&snapshots, &tree, &directory).map_err(|why| fault_of(&why))?;
                return Ok(Claimed { tree });
            }
            let taken = snapshots.take(&workspace).map_err(|why| fault_of(&why))?;
            Ok(Claimed { tree: taken.id })
        });
        claimed.await.map(|claimed| free(&claimed)).map_err(unpaid)
    }
}

fn opened(directory: &std::path::Path) -> Result<(Snapshots, PathBuf), Fault> {
    let snapshots = Snapshots::open(directory).map_err(|why| fault_of(&why))?;
    Ok((snapshots, directory.join("workspace")))
}

/// Runs the check of a phase.
pub(crate) fn check(launcher: PathBuf, keys: Arc<dyn JobKeys>) -> Agent {
    agent(CheckStep { launcher, keys })
}

struct CheckStep {
    launcher: PathBuf,
    keys: Arc<dyn JobKeys>,
}

/// Runs its arguments, and writes what they wrote and then their exit code. No shell reads the arguments.
const RUN: &str = r#""$@" 2>&1; printf '\n%d' "$?""#;

#[async_trait]
impl Invoker for CheckStep {
    fn worst_case(&self, _input: &Data) -> Option<Nanos> {
        Some(Nanos::ZERO)
    }

    async fn invoke(&self, attempt: Attempt) -> Result<Reply, Failure> {
        let Check { directory, command, base, job } = input(&attempt)?;
        let key = match &job {
            Some(job) => Some(self.keys.text_key(&attempt.owner, job).await.map_err(unpaid)?),
            None => None,
        };
        if let Some(base) = base.filter(|_| attempt.number > 1) {
            let directory = directory.clone();
            let laid = on_disk(move || {
                let (snapshots, _) = opened(&directory)?;
                added::lay(&snapshots, &base, &directory).map_err(|why| fault_of(&why))
            });
            laid.await.map_err(unpaid)?;
        }
        let shell = ["sh", "-c", RUN, "sh"].map(str::to_owned).into_iter();
        let definition = Definition {
            directory: Some(directory.join("workspace")),
            text: true,
            ..Definition::new(shell.chain(command))
        };
        let program = Subprocess::new(definition, Effect::Idempotent, self.launcher.clone());
        let (exit, said) = match program.invoke(attempt).await {
            Ok(reply) => ended(&reply.output),
            Err(failure) => (None, failure.fault.message),
        };
        let checked = on_disk(move || {
            let (snapshots, workspace) = opened(&directory)?;
            let taken = snapshots.take(&workspace).map_err(|why| fault_of(&why))?;
            let from = said.ceil_char_boundary(said.len().saturating_sub(MOST_SAID));
            let mut result = CheckResult::new(exit, &secrets::hidden(&said[from..]));
            if let Some(key) = &key {
                result.said = key.seal(&result.said);
            }
            Ok(Checked { result, tree: taken.id })
        });
        checked.await.map(|checked| free(&checked)).map_err(unpaid)
    }
}

fn ended(output: &Data) -> (Option<i32>, String) {
    let text =
        output.shown().get("text").and_then(|text| text.as_str()).unwrap_or_default().to_owned();
    match text.rsplit_once('\n') {
        Some((said, exit)) => (exit.trim().parse().ok(), said.trim_end().to_owned()),
        None => (text.trim().parse().ok(), String::new()),
    }
}

/// Makes the recovery point of a phase, and its commit where the workspace is of a repository.
pub(crate) fn accept() -> Agent {
    agent(AcceptStep)
}

struct AcceptStep;

#[async_trait]
impl Invoker for AcceptStep {
    fn worst_case(&self, _input: &Data) -> Option<Nanos> {
        Some(Nanos::ZERO)
    }

    async fn invoke(&self, attempt: Attempt) -> Result<Reply, Failure> {
        let accept: Accept = input(&attempt)?;
        let accepted = on_disk(move || accepted(&accept));
        accepted.await.map(|accepted| free(&accepted)).map_err(unpaid)
    }
}

fn accepted(accept: &Accept) -> Result<Accepted, Fault> {
    let (snapshots, workspace) = opened(&accept.directory)?;
    let commit = match &accept.repository {
        Some(repository) => Some(commit(accept, repository, &workspace)?),
        None => None,
    };
    let taken = snapshots.take(&workspace).map_err(|why| fault_of(&why))?;
    let changed = match accept.start {
        Some(start) => {
            let changes = snapshots.changes(&start, &taken.id);
            changes.map_err(|why| fault_of(&why))?
        }
        None => Vec::new(),
    };
    let changed = changed
        .into_iter()
        .filter(|change: &Change| change.what != What::Folder)
        .map(|change| change.path);
    let changed = changed.take(MOST_CHANGED).collect();
    Ok(Accepted { tree: taken.id, commit, changed })
}

fn commit(
    accept: &Accept,
    repository: &git::Attached,
    workspace: &std::path::Path,
) -> Result<String, Fault> {
    let subject = format!("{}: {}", accept.job_id, accept.phase);
    let message = match accept.message.as_deref() {
        Some(said) if !said.trim().is_empty() => format!("{subject}\n\n{said}"),
        Some(_) | None => subject,
    };
    let at_seconds = std::time::SystemTime::now()
        .duration_since(std::time::UNIX_EPOCH)
        .map_or(0, |since| i64::try_from(since.as_secs()).unwrap_or(0));
    let commit = git::Commit { point: &accept.point, message: &message, at_seconds };
    git::commit(repository, workspace, commit)
        .map(|committed| committed.id)
        .map_err(|why| Fault::permanent("GIT_FAILED", why.to_string()))
}

/// Judges an answer that came over the bridge.
pub(crate) fn judge(keys: Arc<dyn JobKeys>, roles: crate::role::Roles) -> Agent {
    agent(JudgeStep { keys, roles })
}

struct JudgeStep {
    keys: Arc<dyn JobKeys>,
    roles: crate::role::Roles,
}

#[async_trait]
impl Invoker for JudgeStep {
    fn worst_case(&self, _input: &Data) -> Option<Nanos> {
        Some(Nanos::ZERO)
    }

    async fn invoke(&self, attempt: Attempt) -> Result<Reply, Failure> {
        let Judge { turn, answer } = input(&attempt)?;
        let key = if turn.sensitive {
            Some(self.keys.text_key(&attempt.owner, &turn.job_key()).await.map_err(unpaid)?)
        } else {
            None
        };
        let roles = self.roles.clone();
        let judged = on_disk(move || {
            let role = roles.find(&turn).ok();
            let prepared = role.as_ref().map_or_else(Prepared::default, |role| {
                crate::role_agent::prepared(&turn, role, key.as_ref())
            });
            let request = sent(&turn, role.as_ref(), &prepared, key.as_ref());
            let raw = answer.to::<String>().unwrap_or_else(|_| answer.as_str().to_owned());
            let came = Came { raw: &raw, files: Vec::new(), seconds: 0.0 };
            Judged::of_answer(&turn, request, came, key.as_ref()).map_err(|why| fault_of(&why))
        });
        judged.await.map(|judged| free(&judged)).map_err(unpaid)
    }
}
