//! The scope of a journey's agents: what they may look at, and which agents they are. It comes from the
//! caller that starts the journey, never from the envelope.

use std::{collections::BTreeSet, path::PathBuf};

use consign_engine::Data;
use serde::{Deserialize, Serialize};

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AgentScope {
    /// The repository that questions are about.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub repo: Option<PathBuf>,
    /// Which tools may be used, as its file says.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub policy: Option<Data>,
    /// Where the definitions are kept that the pipeline holds itself: [`super::Pins`].
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub pinned: String,
    /// The stages whose agents of the user's own ask models.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub thinkers: BTreeSet<String>,
    /// The stages whose agents must not be called twice, where a person is asked before them.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub unrepeatable: BTreeSet<String>,
}
