//! The settings of a run that change how its agents are reached. The run keeps them.

use std::path::PathBuf;

use consign_engine::{Data, Fault, Settings};
use serde::{Deserialize, Serialize};

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RunSettings {
    /// A file of scripted answers to use instead of calling agents.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub script: Option<PathBuf>,
    /// The attempts that the run had begun when it was given the script: they used none of its entries.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub script_from: u64,
    /// The agents that were called before there was a run, in order: what they were answered is used up.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub script_before: Vec<String>,
    /// A file to which the input of each call is appended.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub invocations: Option<PathBuf>,
    /// A file to which model requests and answers are recorded.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub record: Option<PathBuf>,
    /// The model to use instead of an agent's own: a name, `replay:FILE`, `scripted:FILE` or `bridge`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde calls it so")]
fn is_zero(number: &u64) -> bool {
    *number == 0
}

impl RunSettings {
    /// Reads the settings of a run. If they cannot be read, the run must not continue: one that was
    /// to be answered by a script would call, and pay, a real model.
    pub fn of(settings: &Settings) -> Result<Self, Fault> {
        let Some(settings) = &settings.0 else { return Ok(Self::default()) };
        settings.to().map_err(|cause| {
            let text =
                format!("this version cannot read the run's settings for its agents: {cause}");
            Fault::permanent("SETTINGS_INVALID", text)
        })
    }

    #[must_use]
    pub fn settings(&self) -> Settings {
        Settings((*self != Self::default()).then(|| Data::of(self)))
    }
}
