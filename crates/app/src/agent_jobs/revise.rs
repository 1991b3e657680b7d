//! Revising a finished job: a new job on what the old one made.
//!
//! The new job has the payload and the settings of its parent, and carries the parent's plan and files, so that it needs
//! no more than its own journal. Which job revises which is noted before the job is made: what was noted and never made
//! is not shown.

use consign_authoring::job::{AgentType, JobInput, JobState, Revision, kind_of};
use consign_contracts::json::{Json, Object};
use consign_engine::{
    Drive, Limits, Owner, Placement, RunId, Speaker, Submission,
    discussion::{Added, MOST_REVISIONS, Revised},
    store::Row,
};
use consign_invokers::settings::RunSettings;

use super::{
    find,
    find::find_ends,
    id::{keyed_id, random_id},
    standing,
    submit::{Submitted, made_before, repeated, reused, submission_of},
    view::Seen,
};
use crate::{
    Home,
    error::{Error, Refused},
    foreground::Foreground,
    settings, view,
};

pub use consign_contracts::authoring::{JobRevision, RevisionMode, RevisionScope};

/// The longest instruction, in characters.
const LONGEST: usize = 10_000;
const RULES: &str = "rules";

/// Whether a revision may be about a folder that the user of a terminal named.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Folders {
    Allowed,
    /// The caller is not at a terminal of this machine.
    Refused,
}

/// A revision that is wished for.
#[derive(Clone, Debug)]
pub struct Wish<'a> {
    pub revision: JobRevision,
    /// Makes a repeat harmless: the same key and wish give the same job.
    pub idempotency_key: Option<&'a str>,
    /// The model to use in place of the parent's.
    pub model: Option<String>,
    pub limits: Limits,
    pub placement: Placement,
    pub run: RunSettings,
}

impl<'a> Wish<'a> {
    #[must_use]
    pub fn of(revision: JobRevision, idempotency_key: Option<&'a str>) -> Self {
        Self {
            revision,
            idempotency_key,
            model: None,
            limits: Limits::default(),
            placement: Placement::Anywhere,
            run: RunSettings::default(),
        }
    }
}

/// Revises a job of this owner and leaves the work to the workers.
pub async fn revise(
    home: &Home,
    owner: &Owner,
    speaker: &Speaker,
    id: &str,
    wish: &Wish<'_>,
) -> Result<Submitted, Error> {
    let parent = find(home, owner, id).await?;
    if let Some(first) = answered_before(home, owner, &parent, wish).await? {
        return Ok(first);
    }
    let submission = prepare(home, owner, speaker, id, wish, Folders::Refused).await?;
    match home.engine.submit(submission.clone()).await {
        Ok(made) => Ok(Submitted::pending(&made.run, made.repeated)),
        Err(error) => repeated(home, &submission, error).await,
    }
}

/// Revises a job with one that this process holds from the start.
pub async fn begin_revision(
    home: &Home,
    foreground: &mut Foreground,
    owner: &Owner,
    speaker: &Speaker,
    id: &str,
    wish: &Wish<'_>,
) -> Result<(Submitted, Option<Drive>), Error> {
    let submission = prepare(home, owner, speaker, id, wish, Folders::Allowed).await?;
    let (made, drive) = foreground.begin(submission).await?;
    Ok((Submitted::pending(&made.run, made.repeated), drive))
}

/// What a wish under this key was answered with before, whatever has changed since.
async fn answered_before(
    home: &Home,
    owner: &Owner,
    parent: &Row,
    wish: &Wish<'_>,
) -> Result<Option<Submitted>, Error> {
    let Some(key) = wish.idempotency_key else { return Ok(None) };
    let run = keyed_id(owner, key)?;
    let Some(noted) = home.discussion.revision(&run).await? else { return Ok(None) };
    if !is_same(&noted, parent, &wish.revision) {
        return Err(reused().into());
    }
    match made_before(home, &run, None).await? {
        Some(made) => Ok(Some(made)),
        // It was noted, and this process or another one died before the job was made.
        None => Ok(None),
    }
}

fn is_same(noted: &Revised, parent: &Row, wish: &JobRevision) -> bool {
    noted.parent == parent.id
        && noted.instruction == wish.instruction
        && noted.mode == wish.mode.as_str()
        && noted.scope == wish.scope.as_str()
}

/// Checks the wish, notes it, and says what the engine is given.
async fn prepare(
    home: &Home,
    owner: &Owner,
    speaker: &Speaker,
    id: &str,
    wish: &Wish<'_>,
    folders: Folders,
) -> Result<Submission, Error> {
    let run = match wish.idempotency_key {
        Some(key) => keyed_id(owner, key)?,
        None => random_id(),
    };
    let JobRevision { instruction, mode, scope, .. } = &wish.revision;
    if instruction.trim().is_empty() || instruction.chars().count() > LONGEST {
        let told = format!("instruction: it has 1 to {LONGEST} characters, and not only spaces");
        return Err(invalid("/instruction", told).into());
    }
    let seen = Seen::read(home, find_ends(home, owner, id).await?, true).await?;
    let Some(kind) = kind_of(&seen.row.workflow) else {
        return Err(Refused::new("NOT_FOUND", "there is no such job").into());
    };
    if !matches!(seen.state, JobState::Completed | JobState::Failed) {
        let told = format!("the job is not finished: its state is {}", seen.state);
        return Err(Refused::new("INVALID_STATE", told).into());
    }
    let Some(parent) = seen.input.clone() else {
        return Err(Refused::new("INVALID_STATE", "what the job was given was erased").into());
    };
    if folders == Folders::Refused && parent.settings.folder.is_some() {
        let told = "the job is about a folder that was named in a terminal: revise it there";
        return Err(Refused::new("INVALID_STATE", told).into());
    }
    let mut settings = parent.settings.clone();
    if wish.model.is_some() {
        settings.model.clone_from(&wish.model);
    } else if settings.model.is_none() {
        settings.model = settings::for_job(home, owner, kind).await?.model;
    }
    if kind != AgentType::Scribe && settings.model.as_deref().is_none_or(|model| model == RULES) {
        let told = format!("only a model can revise a job of {kind}, and none is set for it");
        return Err(Refused::new("INVALID_STATE", told).into());
    }
    let published = seen.published();
    let before = parent.revision.as_ref();
    let input = JobInput {
        submitted: Some(home.engine.now()),
        settings,
        revision: Some(Revision {
            parent: seen.row.id.to_string(),
            instruction: instruction.clone(),
            mode: mode.as_str().to_owned(),
            scope: scope.as_str().to_owned(),
            parent_plan: seen.job_plan().unwrap_or_default(),
            parent_artifacts: seen.files(),
            branch: published.0.or_else(|| before?.branch.clone()),
            pull_request: published.1.or_else(|| before?.pull_request.clone()),
        }),
        ..parent
    };
    let noted = home.discussion.revision(&seen.row.id).await?;
    let revised = Revised {
        run: run.clone(),
        parent: seen.row.id.clone(),
        first: noted.map_or_else(|| seen.row.id.clone(), |noted| noted.first),
        owner: owner.clone(),
        at: home.engine.now(),
        instruction: instruction.clone(),
        mode: mode.as_str().to_owned(),
        scope: scope.as_str().to_owned(),
    };
    match home.discussion.add_revision(revised).await? {
        Added::New => {}
        Added::There(noted) if is_same(&noted, &seen.row, &wish.revision) => {}
        Added::There(_) => return Err(reused().into()),
        Added::Full => {
            let told = format!("a job has at most {MOST_REVISIONS} revisions; submit a new one");
            return Err(Refused::new("INVALID_STATE", told).into());
        }
    }
    let (limits, placement) = (wish.limits.clone(), wish.placement.clone());
    submission_of(home, owner, speaker, (run, kind, input), limits, placement, &wish.run)
}

fn invalid(pointer: &'static str, message: String) -> Refused {
    let mut breach = Object::new();
    breach.set("pointer", Json::from(pointer));
    breach.set("message", Json::String(message.clone().into()));
    let breaches = Json::Array(vec![Json::Object(breach)]);
    Refused::usage("VALIDATION_ERROR", message).detail("breaches", breaches)
}

/// The chain that a job belongs to, the first job first: `{jobId, parentJobId, state, instruction, mode, scope,
/// createdAt}`.
pub async fn revisions(
    home: &Home,
    owner: &Owner,
    id: &str,
) -> Result<Vec<Object<'static>>, Error> {
    let row = find(home, owner, id).await?;
    let noted = home.discussion.revision(&row.id).await?;
    let first = noted.map_or(row.id, |noted| noted.first);
    let mut chain = Vec::new();
    if let Some(found) = link(home, owner, &first, None).await? {
        chain.push(found);
    }
    for noted in home.discussion.revisions(&first).await? {
        let run = noted.run.clone();
        chain.extend(link(home, owner, &run, Some(&noted)).await?);
    }
    Ok(chain)
}

/// One job of a chain; nothing for one that was noted and never made.
async fn link(
    home: &Home,
    owner: &Owner,
    run: &RunId,
    noted: Option<&Revised>,
) -> Result<Option<Object<'static>>, Error> {
    let row = match find(home, owner, run.as_str()).await {
        Ok(row) => row,
        Err(Error::Refused(_)) => return Ok(None),
        Err(error) => return Err(error),
    };
    let newest = standing::newest(home, &row).await?;
    let text =
        |text: Option<&str>| text.map_or(Json::Null, |text| Json::String(text.to_owned().into()));
    Ok(Some(view::object([
        ("jobId", view::text(&row.id)),
        ("parentJobId", text(noted.map(|noted| noted.parent.as_str()))),
        ("state", view::text(standing::state(&row, newest.as_ref()).as_str())),
        ("instruction", text(noted.map(|noted| noted.instruction.as_str()))),
        ("mode", text(noted.map(|noted| noted.mode.as_str()))),
        ("scope", text(noted.map(|noted| noted.scope.as_str()))),
        ("createdAt", view::at(row.created_at)),
    ])))
}
