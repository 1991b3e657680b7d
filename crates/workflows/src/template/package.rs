//! What a template consists of before it is written down.

use serde::{Deserialize, Serialize};

use super::{Source, manifest::Manifest, placeholders::Placeholder, settings::Settings};

/// Everything that phase 9 writes down.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Package {
    pub manifest: Manifest,
    pub settings: Settings,
    /// `CLAUDE.md`
    pub documentation: String,
    pub templates: Templates,
    pub agents: Vec<AgentFile>,
}

/// Phase 4: the files of a template, and what is missing among them.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Templates {
    pub files: Vec<TemplateFile>,
    pub completeness: Completeness,
    /// The gaps that the files have, with what the project had there.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub placeholders: Vec<Placeholder>,
    /// What of the project did not come into the template.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub left_out: Vec<LeftOut>,
}

/// A file that was not taken.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct LeftOut {
    pub path: String,
    /// Such as `it holds a key`.
    pub why: String,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TemplateFile {
    /// Where it is in the new project, placeholders included, without `.template`.
    pub path: String,
    /// Where it came from in the project.
    pub origin: String,
    pub layer: String,
    /// With placeholders.
    pub content: String,
    /// It is run, not only read.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub executable: bool,
}

/// What a team that uses the template would look for in vain.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Completeness {
    /// From 0 to 1.
    pub score: f64,
    pub missing: Vec<Missing>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Missing {
    /// `operation`, `implementation`, `test`, `import`.
    pub kind: String,
    /// The file, type or layer to which it belongs.
    pub of: String,
    /// A sentence.
    pub what: String,
}

/// Phase 5: an agent that knows part of the project's stack.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct AgentSpec {
    /// Lower case with hyphens.
    pub name: String,
    pub description: String,
    /// Why this project wants it.
    pub reason: String,
    /// What it is about: `react`, `repository`, `testing`.
    pub technologies: Vec<String>,
    /// From 1 (nice to have) to 10.
    pub priority: u8,
    pub source: Source,
}

/// Phases 6 and 7: an agent's file.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct AgentFile {
    pub name: String,
    /// Markdown with YAML front matter.
    pub content: String,
    /// Who wrote its body.
    pub source: Source,
}

/// The agents that are there already, by where they come from.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ExistingAgents {
    pub user_custom: Vec<String>,
    pub template: Vec<String>,
    pub global: Vec<String>,
}
