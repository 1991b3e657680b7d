//! A definition as it is written. Unknown keys are refused.

use std::path::PathBuf;

use consign_engine::Effect;
use serde::Deserialize;

use super::contract::Written as WrittenContract;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Written {
    pub(super) name: String,
    #[serde(default)]
    pub(super) description: String,
    pub(super) effect: Option<Effect>,
    pub(super) timeout_seconds: Option<f64>,
    #[serde(default)]
    pub(super) contract: WrittenContract,
    #[serde(default)]
    pub(super) limits: WrittenLimits,
    pub(super) model: Option<WrittenModel>,
    pub(super) subprocess: Option<WrittenSubprocess>,
    pub(super) http: Option<WrittenHttp>,
    pub(super) mcp: Option<WrittenMcp>,
    pub(super) bridge: Option<WrittenBridge>,
}

#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(super) struct WrittenLimits {
    /// As text, so that its digits are kept.
    pub(super) max_cost_usd: Option<toml::Value>,
    pub(super) memory_mb: Option<u64>,
    pub(super) output_mb: Option<u64>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct WrittenModel {
    pub(super) name: String,
    #[serde(default)]
    pub(super) fallback: Vec<String>,
    pub(super) system: Option<String>,
    pub(super) prompt: Option<String>,
    #[serde(default)]
    pub(super) files: Vec<PathBuf>,
    #[serde(default)]
    pub(super) tools: Vec<WrittenTool>,
    #[serde(default)]
    pub(super) temperature: f64,
    #[serde(default = "four_thousand")]
    pub(super) max_tokens: u32,
    #[serde(default = "yes")]
    pub(super) stream: bool,
    pub(super) repair: Option<Vec<String>>,
    pub(super) allow: Option<Vec<String>>,
    pub(super) base_url: Option<String>,
}

fn four_thousand() -> u32 {
    4096
}

fn yes() -> bool {
    true
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct WrittenTool {
    pub(super) name: String,
    #[serde(default)]
    pub(super) description: String,
    pub(super) parameters: toml::Table,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct WrittenSubprocess {
    pub(super) command: Vec<String>,
    pub(super) directory: Option<PathBuf>,
    #[serde(default)]
    pub(super) env: Vec<String>,
    #[serde(default)]
    pub(super) answers: Answers,
}

/// What a program writes to standard output.
#[derive(Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Answers {
    #[default]
    Json,
    Text,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct WrittenHttp {
    pub(super) url: String,
    pub(super) probe_url: Option<String>,
    pub(super) bearer_env: Option<String>,
    #[serde(default)]
    pub(super) allow_private: bool,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct WrittenMcp {
    pub(super) tool: String,
    pub(super) command: Option<Vec<String>>,
    pub(super) directory: Option<PathBuf>,
    #[serde(default)]
    pub(super) env: Vec<String>,
    pub(super) url: Option<String>,
    #[serde(default)]
    pub(super) allow_private: bool,
    pub(super) bearer_env: Option<String>,
}

#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(super) struct WrittenBridge {
    pub(super) prompt: Option<String>,
    pub(super) deadline_seconds: Option<f64>,
}
