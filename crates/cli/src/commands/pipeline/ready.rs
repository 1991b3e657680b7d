//! A pipeline that is ready to run here: read, checked, its agents found, its place known.

use std::{
    fs,
    path::{Path, PathBuf},
    sync::Arc,
};

use consign_contracts::json::Json;
use consign_engine::Data;
use consign_invokers::model::ModelSource;
use consign_workflows::pipeline::{
    Pinned, Pins, Pipeline, Place, THINKING, file,
    file::{Draft, Unusable, Wrong},
    tools::Policy,
};

use super::agents::{Agents, Program};
use crate::{
    commands::runs::form,
    engine::Session,
    error::Error,
    house,
    output::{object, printable},
};

/// Which pipeline, and where.
#[derive(clap::Args)]
pub(in crate::commands) struct Where {
    /// The repository that questions are about; the current directory if left out
    #[arg(long, value_name = "DIR")]
    pub(in crate::commands) repo: Option<PathBuf>,

    /// Which tools may be used: a TOML or JSON file with allow, deny and confirm
    #[arg(long, value_name = "FILE")]
    pub(in crate::commands) policy: Option<PathBuf>,
}

pub(in crate::commands) struct Ready {
    pub(in crate::commands) pipeline: Arc<Pipeline>,
    pub(in crate::commands) place: Place,
    /// The programs that its agents start.
    pub(super) programs: Vec<Program>,
    /// What is probably not meant so.
    pub(super) doubtful: Vec<Wrong>,
}

impl Ready {
    /// Whether any of its stages asks a model.
    pub(in crate::commands) fn thinks(&self) -> bool {
        !self.place.thinkers.is_empty()
            || self.pipeline.stages.iter().any(|stage| stage.model.is_some())
    }
}

/// Reads a pipeline; without a file, that of the document.
pub(in crate::commands) fn load(path: Option<&Path>) -> Result<Pipeline, Error> {
    whole(draft(path)?, path)
}

/// The same, as far as it can be read: its agents may have faults too.
fn draft(path: Option<&Path>) -> Result<Draft, Error> {
    let Some(path) = path else {
        return Ok(Draft::of(file::default()));
    };
    // Whoever mistyped a path wants to hear of that.
    if let Err(cause) = fs::metadata(path) {
        let error = Error::unreadable(path, &cause);
        let beside = "a pipeline is a file, and what it names is beside it; /dev/stdin is one too";
        return Err(if path == Path::new("-") { error.hint(beside) } else { error });
    }
    file::draft(path).map_err(|why| unusable(&why))
}

fn whole(draft: Draft, path: Option<&Path>) -> Result<Pipeline, Error> {
    let named = |why: Unusable| unusable(&Unusable { path: path.map(Path::to_owned), ..why });
    draft.whole().map_err(named)
}

pub(in crate::commands) fn unusable(why: &Unusable) -> Error {
    let mut lines = why.lines().into_iter().map(|line| printable(&line).into_owned());
    let first = lines.next().unwrap_or_default();
    let wrong = why.wrong.iter().map(wrong);
    Error::new("PIPELINE_INVALID", first)
        .listing(lines)
        .detail("wrong", Json::Array(wrong.collect()))
        .hint("docs/pipelines.md has the form; `consign pipeline check FILE` looks again")
}

/// What is probably not meant so, and programs that are not here: where it is run they may be.
pub(super) fn warnings(doubtful: &[Wrong], programs: &[Program]) -> Vec<Wrong> {
    let missing = programs
        .iter()
        .filter_map(|program| Some(Wrong { line: program.line, what: program.missing()? }));
    let mut warnings: Vec<_> = doubtful.iter().cloned().chain(missing).collect();
    warnings.sort_by_key(|wrong| wrong.line);
    warnings
}

/// Whoever mends a pipeline hears of what is doubtful at once too.
fn doubting(error: Error, path: Option<&Path>, warnings: Vec<Wrong>) -> Error {
    let told = Json::Array(warnings.iter().map(wrong).collect());
    let lines = Unusable { path: path.map(Path::to_owned), wrong: warnings }.lines();
    let lines = lines.into_iter().map(|line| format!("warning: {}", printable(&line)));
    error.listing(lines).detail("warnings", told)
}

/// `{"line", "message"}`
pub(super) fn wrong(wrong: &Wrong) -> Json<'static> {
    let line = wrong.line.map_or(Json::Null, |line| form::number(line as u64));
    Json::Object(object([("line", line), ("message", form::text(&wrong.what))]))
}

/// Makes a pipeline ready. `model` is for the built-in agents that can think and name none.
pub(in crate::commands) fn ready(
    session: &Session,
    path: Option<&Path>,
    at: &Where,
    model: Option<&str>,
) -> Result<Ready, Error> {
    let mut draft = draft(path)?;
    if let Some(model) = model {
        think_with(&mut draft.pipeline, model)?;
    }
    let folder = match path.and_then(Path::parent) {
        Some(folder) if !folder.as_os_str().is_empty() => folder.to_owned(),
        _ => PathBuf::from("."),
    };
    let folder = fs::canonicalize(&folder).map_err(|cause| Error::unreadable(&folder, &cause))?;
    let (pinned, wrong) = Pinned::read(&draft.pipeline, &folder);
    draft.wrong.extend(wrong);
    let agents = Agents::of(session, &draft.pipeline, &pinned);
    draft.wrong.extend(agents.wrong);
    draft.thinkers.extend(agents.thinkers.iter().cloned());
    let doubtful = std::mem::take(&mut draft.doubtful);
    let pipeline = whole(draft, path)
        .map_err(|error| doubting(error, path, warnings(&doubtful, &agents.programs)))?;
    let digest = Pins::new(house::pinned(&session.home)).keep(&pinned).map_err(|cause| {
        let told = format!("could not keep what the pipeline defines: {cause}");
        Error::new("STORE_UNAVAILABLE", told)
    })?;
    let place = Place {
        repo: Some(repo(at.repo.as_deref())?),
        policy: at.policy.as_deref().map(policy).transpose()?,
        pinned: digest,
        thinkers: agents.thinkers.into_iter().collect(),
    };
    Ok(Ready { pipeline: Arc::new(pipeline), place, programs: agents.programs, doubtful })
}

/// Refuses a stage to stop after that there is not.
pub(in crate::commands) fn check_until(
    pipeline: &Pipeline,
    until: Option<&str>,
) -> Result<(), Error> {
    let Some(until) = until else { return Ok(()) };
    let (told, hint) = match pipeline.find(until) {
        Some(at) if pipeline.turn_of(at) == at => return Ok(()),
        Some(at) => {
            let whole = &pipeline.stages[pipeline.turn_of(at)].name;
            let told = format!("{until:?} runs beside others, and no envelope can stand there");
            (told, format!("--until {whole} stops when all of them are done"))
        }
        None => {
            let told = format!("the pipeline {} has no stage {until:?}", pipeline.name);
            (told, format!("it has {}", pipeline.names().collect::<Vec<_>>().join(", ")))
        }
    };
    Err(Error::usage("UNKNOWN_STAGE", told).hint(hint))
}

/// Has the built-in agents that can think do so with this model.
fn think_with(pipeline: &mut Pipeline, model: &str) -> Result<(), Error> {
    let source = ModelSource::read(model, &[]);
    let source =
        source.map_err(|why| Error::usage("MODEL_INVALID", why).hint("`consign models list`"))?;
    // Those check what a model says, and whoever is outside is none: they go on by rules.
    if source == ModelSource::Bridge {
        return Ok(());
    }
    for (at, stage) in pipeline.stages.iter_mut().enumerate() {
        let thinks = stage.built_in().is_some_and(|name| THINKING.contains(&name));
        if !thinks || stage.model.is_some() {
            continue;
        }
        stage.model = Some(model.to_owned());
        // Whoever goes on with the run reads what is written.
        let written = match pipeline.written.get_mut("stages") {
            Some(Json::Array(stages)) => stages.get_mut(at),
            Some(_) | None => None,
        };
        if let Some(Json::Object(written)) = written {
            written.set("model", Json::String(model.to_owned().into()));
        }
    }
    Ok(())
}

pub(in crate::commands) fn repo(given: Option<&Path>) -> Result<PathBuf, Error> {
    let path = given.unwrap_or(Path::new("."));
    let named = "--repo names the directory of a repository";
    let found =
        fs::canonicalize(path).map_err(|cause| Error::unreadable(path, &cause).hint(named))?;
    if !found.is_dir() {
        let told = format!("{} is no directory", path.display());
        return Err(Error::usage("NOT_A_DIRECTORY", told).hint(named));
    }
    Ok(found)
}

fn policy(path: &Path) -> Result<Data, Error> {
    let text = fs::read_to_string(path).map_err(|cause| {
        Error::unreadable(path, &cause)
            .hint("--policy names a file, TOML or JSON; docs/pipelines.md has the form")
    })?;
    let policy = Policy::parse(&text).map_err(|why| {
        Error::new("POLICY_INVALID", format!("{}: {why}", path.display()))
            .hint("docs/pipelines.md has the form")
    })?;
    Ok(Data::from(&policy.to_json()))
}
