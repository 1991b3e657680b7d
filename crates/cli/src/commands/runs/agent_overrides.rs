//! Options that replace a run's agents and models by scripts or recordings, or record what models say.

use std::path::{Path, PathBuf};

use consign_engine::{Error::Fault, Settings};
use consign_invokers::{define::Reached, model::ModelSource, settings::RunSettings};
use consign_models::record::Replay;

use consign_app::definitions;

use crate::{engine::Session, error::Error, output::printable};

/// What is said of scripts where there is no run that could remember one.
pub(in crate::commands) const SCRIPT: &str = "Let agents answer from a script";

#[derive(clap::Args)]
pub(in crate::commands) struct AgentOverrides {
    /// Use this model instead of the agents' own: a name, `replay:FILE`, `scripted:FILE` or `bridge`.
    /// Built-in agents, which do without, think with it
    #[arg(long, value_name = "MODEL", help_heading = "Stand-ins")]
    model: Option<String>,

    /// Let agents answer from a script; the run remembers it
    #[arg(long, value_name = "FILE", help_heading = "Stand-ins")]
    agent_script: Option<PathBuf>,

    /// Write what each call was given to a file, a line each
    #[arg(long, value_name = "FILE", help_heading = "Stand-ins")]
    invocations: Option<PathBuf>,

    /// Record what is said to models and what they say, for `--model replay:FILE`
    #[arg(long, value_name = "FILE", help_heading = "Stand-ins")]
    record: Option<PathBuf>,
}

impl AgentOverrides {
    /// Refuses options that cannot stand in for the agent that is called, before there is a run. A user who
    /// expects a recording to answer must not reach the real agent.
    pub(in crate::commands) fn check(
        &self,
        session: &Session,
        agent: Option<&str>,
    ) -> Result<(), Error> {
        let options = [(self.model.is_some(), "--model"), (self.record.is_some(), "--record")];
        let option = options.iter().find(|(given, _)| *given).map(|(_, option)| option);
        let own = match agent {
            Some(name) if option.is_some() => definitions::named(&session.folder, name)?,
            Some(_) | None => None,
        };
        let is_model = own.is_some_and(|own| matches!(own.reached, Reached::Model(_)));
        if let Some(option) = option.filter(|_| !is_model) {
            let who = agent.map_or("what is called here".into(), printable);
            let told = format!("{who} is no model, so {option} would mean nothing");
            return Err(Error::usage("NOT_A_MODEL", told).hint("--agent-script stands in for it"));
        }
        self.check_files(session)
    }

    fn check_files(&self, session: &Session) -> Result<(), Error> {
        let source = self.model.as_deref().and_then(|name| ModelSource::read(name, &[]).ok());
        let scripts = &session.scripts;
        match source {
            Some(ModelSource::Script(path)) => drop(scripts.script(&path).map_err(Fault)?),
            Some(ModelSource::Replay(path)) => {
                let replay = Replay::open(&path).and_then(|replay| replay.models());
                replay.map_err(|why| Error::new("RECORDING_INVALID", why))?;
            }
            Some(ModelSource::Models(_) | ModelSource::Bridge) | None => {}
        }
        if let Some(path) = &self.agent_script {
            scripts.script(&absolute(path)?).map_err(Fault)?;
        }
        Ok(())
    }

    /// The model that was named.
    pub(in crate::commands) fn model(&self) -> Option<&str> {
        self.model.as_deref()
    }

    /// The same where many are called: the model stands in for those that are models.
    pub(in crate::commands) fn check_many(
        &self,
        session: &Session,
        think: bool,
    ) -> Result<(), Error> {
        let options = [(self.model.is_some(), "--model"), (self.record.is_some(), "--record")];
        if let Some((_, option)) = options.iter().find(|(given, _)| *given && !think) {
            let told = format!("no stage asks a model, so {option} would mean nothing");
            return Err(Error::usage("NOT_A_MODEL", told).hint("--agent-script stands in for all"));
        }
        self.check_files(session)
    }

    /// As the run keeps it: a run may go on in another folder.
    pub(in crate::commands) fn settings(&self) -> Result<Settings, Error> {
        let model = self.model.as_deref().map(model).transpose()?;
        self.settings_with(model)
    }

    /// As the run keeps it, where the model is kept elsewhere.
    pub(in crate::commands) fn settings_but_model(&self) -> Result<Settings, Error> {
        self.settings_with(None)
    }

    fn settings_with(&self, model: Option<String>) -> Result<Settings, Error> {
        let absolute = |path: &Option<PathBuf>| path.as_deref().map(absolute).transpose();
        if let Some(script) = &self.agent_script
            && !script.is_file()
        {
            let told = format!("there is no script {}", script.display());
            return Err(Error::usage("SCRIPT_NOT_FOUND", told));
        }
        let settings = RunSettings {
            script: absolute(&self.agent_script)?,
            script_from: 0,
            script_before: Vec::new(),
            invocations: absolute(&self.invocations)?,
            record: absolute(&self.record)?,
            model,
        };
        Ok(settings.settings())
    }
}

fn model(name: &str) -> Result<String, Error> {
    let invalid = |why: String| Error::usage("MODEL_INVALID", why).hint("`consign models list`");
    let source = ModelSource::read(name, &[]).map_err(invalid)?;
    Ok(match source {
        ModelSource::Replay(path) => format!("replay:{}", found(&path)?.display()),
        ModelSource::Script(path) => format!("scripted:{}", found(&path)?.display()),
        ModelSource::Models(_) | ModelSource::Bridge => name.to_owned(),
    })
}

fn found(path: &Path) -> Result<&Path, Error> {
    match path.is_file() {
        true => Ok(path),
        false => Err(Error::usage("FILE_NOT_FOUND", format!("there is no {}", path.display()))),
    }
}

fn absolute(path: &Path) -> Result<PathBuf, Error> {
    std::path::absolute(path).map_err(|cause| Error::unreadable(path, &cause))
}
