//! Making a job: its directory, its workspace, and its run, which waits to be activated.

use std::{fs, path::PathBuf};

use consign_engine::{Data, Owner, Placement, RunId, Settings, Speaker, Submission};
use consign_supervised::{
    Phase, SUPERVISED, git,
    input::{JobInput, Thresholds},
    sealed::TextKey,
};

use super::{
    open::{OpenJob, Purpose, files_error, open},
    place::JobPlace,
};
use crate::{
    compose::job_key_name,
    error::{Error, Refused},
    foreground::{Foreground, Unobserved},
    home::Home,
    machine::host,
};

/// A job that is wanted.
#[derive(Clone, Debug)]
pub struct NewJob {
    pub place: JobPlace,
    pub objective: String,
    /// None is the one usual phase.
    pub phases: Vec<Phase>,
    pub thresholds: Thresholds,
    pub require_approval: bool,
    pub sensitive: bool,
    /// A repository of which the workspace becomes a worktree.
    pub repo: Option<PathBuf>,
    /// Where roles are looked for besides the job's folder and the home.
    pub roles: Option<PathBuf>,
    pub owner: Owner,
    pub by: Speaker,
}

/// Makes a job.
pub async fn new(home: &Home, wanted: NewJob) -> Result<OpenJob, Error> {
    let place = wanted.place.clone();
    if wanted.objective.trim().is_empty() {
        return Err(Refused::usage("INVALID_INPUT", "the objective is empty")
            .hint("say what the job is for: --objective \"…\"")
            .into());
    }
    let run = RunId::new(place.first_run());
    if home.store().row(&run).await.is_ok() {
        return Err(exists(&place).into());
    }
    let key = text_key(home, &wanted, &run).await?;
    make_directory(&place, wanted.repo.is_some())?;
    let repository = match &wanted.repo {
        Some(repo) => Some(attach(repo, &place)?),
        None => {
            let workspace = place.directory.join("workspace");
            fs::create_dir_all(&workspace).map_err(|cause| cannot(&workspace, &cause))?;
            None
        }
    };
    let seal = |text: &str| key.as_ref().map_or_else(|| text.to_owned(), |key| key.seal(text));
    let mut phases = wanted.phases;
    if phases.is_empty() {
        phases.push(Phase::only("Do what the objective says."));
    }
    for phase in &mut phases {
        phase.task = seal(&phase.task);
    }
    let input = JobInput {
        job_id: place.job_id.clone(),
        description: seal(&wanted.objective),
        directory: place.directory.clone(),
        phases,
        thresholds: wanted.thresholds,
        require_approval: wanted.require_approval,
        sensitive: wanted.sensitive,
        roles: wanted.roles,
        repository,
        created_at: home.engine.now(),
        generation: None,
    };
    begin(home, run, &input, wanted.owner, &wanted.by).await?;
    open(home, &place, Purpose::Look).await
}

/// Makes the run, which parks at once, and the files.
async fn begin(
    home: &Home,
    run: RunId,
    input: &JobInput,
    owner: Owner,
    by: &Speaker,
) -> Result<(), Error> {
    let submission = Submission {
        id: Some(run.clone()),
        workflow: SUPERVISED.to_owned(),
        input: Data::of(input),
        owner,
        limits: input.thresholds.limits(consign_engine::Nanos::ZERO, 0.0),
        placement: Placement::Host(host()),
        priority: 0,
        settings: Settings::default(),
        certified: false,
        actor: by.actor.clone(),
    };
    let mut foreground = Foreground::new(&home.engine).await?;
    let (_, drive) = foreground.begin(submission).await?;
    let (_go_on, stop) = tokio::sync::watch::channel(consign_engine::Stop::GoOn);
    foreground.go_on(&run, drive, &stop, &mut Unobserved).await?;
    home.job_files.catch_up(&home.engine, &run).await.map_err(files_error)?;
    Ok(())
}

/// The key of a sensitive job, made now.
async fn text_key(home: &Home, wanted: &NewJob, run: &RunId) -> Result<Option<TextKey>, Error> {
    if !wanted.sensitive {
        return Ok(None);
    }
    let name = job_key_name(run.as_str());
    let made = home.models.keys().text_key(&wanted.owner, &name, Some(home.engine.now())).await;
    let key = made.map_err(|why| {
        Refused::new(why.code(), format!("a sensitive job needs a sealing key: {why}"))
            .hint("`consign keys init` makes one")
    })?;
    let read = key.and_then(|key| TextKey::read(key.reveal(), run.as_str()));
    match read {
        Some(key) => Ok(Some(key)),
        None => Err(Refused::new("JOB_KEY_MISSING", "the key of the job cannot be read").into()),
    }
}

fn exists(place: &JobPlace) -> Refused {
    let told = format!("there is a job in {} already", place.directory.display());
    Refused::new("JOB_EXISTS", told).hint(format!("`consign job status {}` shows it", place.typed))
}

/// Makes the directory. One that is there must be empty, or hold nothing but roles and what an interrupted `job new` left.
fn make_directory(place: &JobPlace, has_repo: bool) -> Result<(), Error> {
    let directory = &place.directory;
    fs::create_dir_all(directory).map_err(|cause| cannot(directory, &cause))?;
    let entries = fs::read_dir(directory).map_err(|cause| cannot(directory, &cause))?;
    for entry in entries {
        let entry = entry.map_err(|cause| cannot(directory, &cause))?;
        let name = entry.file_name();
        let known = ["roles", ".lock", ".snapshots", "phases.toml", "script.json"];
        // A worktree that is half made is completed.
        let half_made = has_repo && entry.path().join(".git").is_file();
        let empty = name == "workspace"
            && (half_made
                || fs::read_dir(entry.path()).is_ok_and(|mut entries| entries.next().is_none()));
        if !empty && !known.iter().any(|own| name == **own) {
            let told = format!("{} is not empty: it has {}", directory.display(), name.display());
            return Err(Refused::new("DIRECTORY_NOT_EMPTY", told)
                .hint("name a new directory; files are added with `consign job add`")
                .into());
        }
    }
    Ok(())
}

fn attach(repo: &std::path::Path, place: &JobPlace) -> Result<git::Attached, Error> {
    let workspace = place.directory.join("workspace");
    // A worktree is made where there is nothing.
    let _ = fs::remove_dir(&workspace);
    git::attach(repo, &workspace, &place.job_id)
        .map_err(|why| Refused::new("GIT_FAILED", why.to_string()).into())
}

fn cannot(path: &std::path::Path, cause: &std::io::Error) -> Refused {
    Refused::new("JOB_FILES_UNAVAILABLE", format!("could not make {}: {cause}", path.display()))
}
