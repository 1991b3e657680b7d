//! How the agents of one run are reached, where that is not as usual. The run remembers it.

use std::path::PathBuf;

use consign_engine::{Data, Fault, Settings};
use serde::{Deserialize, Serialize};

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RunSettings {
    /// Answers by script instead of agents.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub script: Option<PathBuf>,
    /// Where to write what each call was given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub invocations: Option<PathBuf>,
    /// Where to write what was said to models and what they said.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub record: Option<PathBuf>,
    /// The model to use instead of an agent's own: a name, `replay:FILE`, `scripted:FILE` or `bridge`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
}

impl RunSettings {
    /// What a run was given. Who cannot read it must not go on: a run that was to be answered by a
    /// script would ask, and pay, a real model.
    pub fn of(settings: &Settings) -> Result<Self, Fault> {
        let Some(settings) = &settings.0 else { return Ok(Self::default()) };
        settings.to().map_err(|cause| {
            let text = format!("how the run reaches its agents is not understood here: {cause}");
            Fault::permanent("SETTINGS_INVALID", text)
        })
    }

    #[must_use]
    pub fn settings(&self) -> Settings {
        Settings((*self != Self::default()).then(|| Data::of(self)))
    }
}
