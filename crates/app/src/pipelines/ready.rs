//! Prepares a pipeline to run here: its file is read and checked, its agents are found, its scope is known.

use std::{
    fs,
    path::{Path, PathBuf},
    sync::Arc,
};

use consign_contracts::json::Json;
use consign_engine::Data;
use consign_invokers::model::ModelSource;
use consign_pipeline::{
    AgentScope, Pinned, Pins, Pipeline, THINKING, file,
    file::{Draft, Unusable, Wrong},
};

use consign_questions::tools::Policy;

use super::{
    agents::{Agents, Program},
    keys::StageModels,
};
use crate::{
    compose,
    error::Refused,
    home::Home,
    view::{number, object, text},
};

/// Where the agents of a pipeline may look, and with what.
#[derive(Clone, Copy, Debug, Default)]
pub struct Where<'a> {
    /// The repository that questions are about; the current directory if there is none.
    pub repo: Option<&'a Path>,
    /// Which tools may be used: a TOML or JSON file with allow, deny and confirm.
    pub policy: Option<&'a Path>,
}

/// A pipeline that can be run here.
pub struct Ready {
    pub pipeline: Arc<Pipeline>,
    pub place: AgentScope,
    pub models: StageModels,
    /// The programs that its agents start.
    pub programs: Vec<Program>,
    /// What is probably not meant so.
    pub doubtful: Vec<Wrong>,
}

impl Ready {
    /// Whether any of its stages asks a model.
    pub fn thinks(&self) -> bool {
        !self.place.thinkers.is_empty()
            || self.pipeline.stages.iter().any(|stage| stage.model.is_some())
    }
}

/// Reads a pipeline; without a file, that of the document.
pub fn load(path: Option<&Path>) -> Result<Pipeline, Refused> {
    whole(draft(path)?, path)
}

/// Reads a pipeline as far as it can be read, so that faults of its agents can be reported with its own.
fn draft(path: Option<&Path>) -> Result<Draft, Refused> {
    let Some(path) = path else {
        return Ok(Draft::of(file::default()));
    };
    // A mistyped path is reported as such.
    if let Err(cause) = fs::metadata(path) {
        let error = Refused::unreadable(path, &cause);
        let beside = "a pipeline is a file, and what it names is beside it; /dev/stdin is one too";
        return Err(if path == Path::new("-") { error.hint(beside) } else { error });
    }
    file::draft(path).map_err(|why| unusable(&why))
}

fn whole(draft: Draft, path: Option<&Path>) -> Result<Pipeline, Refused> {
    let named = |why: Unusable| unusable(&Unusable { path: path.map(Path::to_owned), ..why });
    draft.whole().map_err(named)
}

pub fn unusable(why: &Unusable) -> Refused {
    let mut lines = why.lines().into_iter();
    let first = lines.next().unwrap_or_default();
    let wrong = why.wrong.iter().map(wrong);
    Refused::new("PIPELINE_INVALID", first)
        .listing(lines)
        .detail("wrong", Json::Array(wrong.collect()))
        .hint("docs/pipelines.md has the form; `consign pipeline check FILE` looks again")
}

/// What is probably not meant so, and programs that are not here: where it is run they may be.
pub fn warnings(doubtful: &[Wrong], programs: &[Program]) -> Vec<Wrong> {
    let missing = programs
        .iter()
        .filter_map(|program| Some(Wrong { line: program.line, what: program.missing()? }));
    let mut warnings: Vec<_> = doubtful.iter().cloned().chain(missing).collect();
    warnings.sort_by_key(|wrong| wrong.line);
    warnings
}

/// Adds the warnings to an error, so that the user sees everything at once.
fn doubting(error: Refused, path: Option<&Path>, warnings: Vec<Wrong>) -> Refused {
    let told = Json::Array(warnings.iter().map(wrong).collect());
    let lines = Unusable { path: path.map(Path::to_owned), wrong: warnings }.lines();
    let lines = lines.into_iter().map(|line| format!("warning: {line}"));
    error.listing(lines).detail("warnings", told)
}

/// `{"line", "message"}`
pub fn wrong(wrong: &Wrong) -> Json<'static> {
    let line = wrong.line.map_or(Json::Null, |line| number(line as u64));
    Json::Object(object([("line", line), ("message", text(&wrong.what))]))
}

/// Makes a pipeline ready. `model` is for the built-in agents that can think and name none.
pub fn ready(
    home: &Home,
    path: Option<&Path>,
    at: Where<'_>,
    model: Option<&str>,
) -> Result<Ready, Refused> {
    let mut draft = draft(path)?;
    if let Some(model) = model {
        think_with(&mut draft.pipeline, model)?;
    }
    let folder = match path.and_then(Path::parent) {
        Some(folder) if !folder.as_os_str().is_empty() => folder.to_owned(),
        _ => PathBuf::from("."),
    };
    let folder = fs::canonicalize(&folder).map_err(|cause| Refused::unreadable(&folder, &cause))?;
    let (pinned, wrong) = Pinned::read(&draft.pipeline, &folder);
    draft.wrong.extend(wrong);
    let agents = Agents::of(home, &draft.pipeline, &pinned);
    draft.wrong.extend(agents.wrong);
    draft.thinkers.extend(agents.thinkers.iter().cloned());
    let doubtful = std::mem::take(&mut draft.doubtful);
    let pipeline = whole(draft, path)
        .map_err(|error| doubting(error, path, warnings(&doubtful, &agents.programs)))?;
    let digest = Pins::new(compose::pinned(&home.folder)).keep(&pinned).map_err(|cause| {
        let told = format!("could not keep what the pipeline defines: {cause}");
        Refused::new("STORE_UNAVAILABLE", told)
    })?;
    // Recorded only if a stage asks a person: otherwise it would make another run of the same pipeline.
    let asks = pipeline.stages.iter().any(|stage| stage.person().is_some());
    let unrepeatable = agents.unrepeatable.into_iter().filter(|_| asks).collect();
    let place = AgentScope {
        repo: Some(repo(at.repo)?),
        policy: at.policy.map(policy).transpose()?,
        pinned: digest,
        thinkers: agents.thinkers.into_iter().collect(),
        unrepeatable,
    };
    let models = StageModels { models: home.models.clone(), stages: agents.models };
    let programs = agents.programs;
    Ok(Ready { pipeline: Arc::new(pipeline), place, models, programs, doubtful })
}

/// Refuses a stage to stop after that there is not.
pub fn check_until(pipeline: &Pipeline, until: Option<&str>) -> Result<(), Refused> {
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
    Err(Refused::usage("UNKNOWN_STAGE", told).hint(hint))
}

/// Has the built-in agents that can think do so with this model.
fn think_with(pipeline: &mut Pipeline, model: &str) -> Result<(), Refused> {
    let source = ModelSource::read(model, &[]);
    let source =
        source.map_err(|why| Refused::usage("MODEL_INVALID", why).hint("`consign models list`"))?;
    // These agents check what a model says, and the bridge is no model: they go on by rules.
    if source == ModelSource::Bridge {
        return Ok(());
    }
    for (at, stage) in pipeline.stages.iter_mut().enumerate() {
        let thinks = stage.built_in().is_some_and(|name| THINKING.contains(&name));
        if !thinks || stage.model.is_some() {
            continue;
        }
        stage.model = Some(model.to_owned());
        // The process that resumes the run reads `written`.
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

pub fn repo(given: Option<&Path>) -> Result<PathBuf, Refused> {
    let path = given.unwrap_or(Path::new("."));
    let named = "--repo names the directory of a repository";
    let found =
        fs::canonicalize(path).map_err(|cause| Refused::unreadable(path, &cause).hint(named))?;
    if !found.is_dir() {
        let told = format!("{} is no directory", path.display());
        return Err(Refused::usage("NOT_A_DIRECTORY", told).hint(named));
    }
    Ok(found)
}

fn policy(path: &Path) -> Result<Data, Refused> {
    let text = fs::read_to_string(path).map_err(|cause| {
        Refused::unreadable(path, &cause)
            .hint("--policy names a file, TOML or JSON; docs/pipelines.md has the form")
    })?;
    let policy = Policy::parse(&text).map_err(|why| {
        Refused::new("POLICY_INVALID", format!("{}: {why}", path.display()))
            .hint("docs/pipelines.md has the form")
    })?;
    Ok(Data::from(&policy.to_json()))
}
