//! What the run of a job ends with: the document's result, and what was known on the way to it.

use consign_engine::Data;
use serde::{Deserialize, Serialize};

use super::AiUsage;

/// The output of a run that completed a job.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct JobOutcome {
    /// By the contract of the type: `authoring/trace.result` and its like.
    pub result: Data,
    pub plan: JobPlan,
    pub trace: Vec<Explained>,
    /// Which model was asked, and what it took. None without a model.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ai: Option<AiUsage>,
    /// How good the documents are. None for jobs without documents.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub quality: Option<Quality>,
}

/// `qualityScore`, and `qualityParts` in their order: at most 30, 30, 25 and 15.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Quality {
    pub score: u32,
    pub targets: u32,
    pub sections: u32,
    pub references: u32,
    pub critiques: u32,
}

/// What was planned before anything was made.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct JobPlan {
    /// In order, a sentence each.
    pub steps: Vec<String>,
    /// The documents that Scribe plans, section by section.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sections: Option<Data>,
}

/// Why a step was taken, and from what.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Explained {
    pub step: String,
    pub why: String,
    pub sources: Vec<String>,
}

impl Explained {
    pub(crate) fn new(step: &str, why: impl Into<String>, sources: &[&str]) -> Self {
        let sources = sources.iter().map(|source| (*source).to_owned()).collect();
        Self { step: step.to_owned(), why: why.into(), sources }
    }
}
