//! How the agents of one run are reached, where that is not as usual. The run remembers it.

use std::path::PathBuf;

use consign_engine::{Data, Settings};
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
    /// What a run was given. Settings that cannot be read are somebody else's.
    #[must_use]
    pub fn of(settings: &Settings) -> Self {
        settings.0.as_ref().and_then(|settings| settings.to().ok()).unwrap_or_default()
    }

    #[must_use]
    pub fn settings(&self) -> Settings {
        Settings((*self != Self::default()).then(|| Data::of(self)))
    }
}
