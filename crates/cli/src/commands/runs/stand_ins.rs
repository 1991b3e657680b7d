//! Who stands in for a run's agents and models, and what is written down of them.

use std::path::{Path, PathBuf};

use consign_engine::Settings;
use consign_models::{model::ModelSource, settings::RunSettings};

use crate::error::Error;

#[derive(clap::Args)]
pub(in crate::commands) struct StandIns {
    /// Use this model instead of the agents' own: a name, `replay:FILE`, `scripted:FILE` or `bridge`
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

impl StandIns {
    /// The option that only means something to a model, if there is one.
    pub(in crate::commands) fn for_models(&self) -> Option<&'static str> {
        self.model.as_ref().map(|_| "--model").or(self.record.as_ref().map(|_| "--record"))
    }

    /// As the run keeps it: a run may go on in another folder.
    pub(in crate::commands) fn settings(&self) -> Result<Settings, Error> {
        let absolute = |path: &Option<PathBuf>| path.as_deref().map(absolute).transpose();
        let model = self.model.as_deref().map(model).transpose()?;
        if let Some(script) = &self.agent_script
            && !script.is_file()
        {
            let told = format!("there is no script {}", script.display());
            return Err(Error::usage("SCRIPT_NOT_FOUND", told));
        }
        let settings = RunSettings {
            script: absolute(&self.agent_script)?,
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
