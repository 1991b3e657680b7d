//! `manifest.json`: what a template is, what it was made from, and which placeholders it has.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::{
    Source,
    analysis::Analysis,
    package::{Completeness, LeftOut, Templates},
    placeholders::{self, Placeholder},
};

/// The version of this file's format. Versions with the same first number can be read.
pub const SCHEMA_VERSION: &str = "1.0";

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Manifest {
    /// The version of the file's format.
    pub schema_version: String,
    pub name: String,
    pub language: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub framework: Option<Tool>,
    #[serde(default)]
    pub patterns: Vec<String>,
    #[serde(default)]
    pub layers: Vec<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub testing: Option<Tool>,
    #[serde(default)]
    pub placeholders: Vec<Placeholder>,
    /// How sure the analysis is, from 0 to 1.
    #[serde(default)]
    pub confidence: f64,
    /// The source of the analysis. `sources` has the source of each part.
    #[serde(default)]
    pub source: Source,
    /// The source of each part: `analysis`, `agents`, and one for each agent.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub sources: BTreeMap<String, Part>,
    pub created_by: CreatedBy,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub completeness: Option<Completeness>,
    /// Files of the project that are not in the template.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub left_out: Option<LeftOutFiles>,
    /// Warnings for users of the template.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
}

/// The files that a template does not have.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct LeftOutFiles {
    pub count: usize,
    /// The first of them, and why.
    pub files: Vec<LeftOut>,
}

/// Files that are named in a manifest.
const MOST_NAMED: usize = 50;

/// A framework or a test framework.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tool {
    pub name: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub version: Option<String>,
}

/// Where a part of the template comes from.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Part {
    pub source: Source,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub confidence: Option<f64>,
    /// Why an agent was not followed, if one was asked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub why: Option<String>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct CreatedBy {
    /// The version of Consign.
    pub consign: String,
    /// The run that wrote it. A folder with the same run is the work of the same run.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub run: String,
}

/// Phase 2: the manifest, as far as it is known before there are files.
#[must_use]
pub fn manifest(name: &str, analysis: &Analysis) -> Manifest {
    let framework = analysis.framework.as_ref().map(|name| Tool {
        name: name.clone(),
        version: analysis
            .frameworks
            .iter()
            .find(|it| it.name == *name)
            .and_then(|it| it.version.clone()),
    });
    let testing = analysis.testing.first();
    let part = Part { source: analysis.source, confidence: Some(analysis.confidence), why: None };
    Manifest {
        schema_version: SCHEMA_VERSION.to_owned(),
        name: name.to_owned(),
        language: analysis.primary_language.clone(),
        framework,
        patterns: analysis.patterns.clone(),
        layers: analysis.layers.iter().map(|layer| layer.name.clone()).collect(),
        testing: testing.map(|it| Tool { name: it.framework.clone(), version: it.version.clone() }),
        placeholders: placeholders::scheme(analysis, None).placeholders().to_vec(),
        confidence: analysis.confidence,
        source: analysis.source,
        sources: BTreeMap::from([("analysis".to_owned(), part)]),
        created_by: CreatedBy { consign: env!("CARGO_PKG_VERSION").to_owned(), run: String::new() },
        completeness: None,
        left_out: None,
        warnings: Vec::new(),
    }
}

impl Manifest {
    /// Adds what phase 4 found: the placeholders that the files really have, and what is missing.
    pub fn complete(&mut self, templates: &Templates) {
        self.placeholders.clone_from(&templates.placeholders);
        self.completeness = Some(templates.completeness.clone());
        let count = templates.left_out.len() + templates.left_out_unnamed;
        let files = templates.left_out.iter().take(MOST_NAMED).cloned().collect();
        self.left_out = (count > 0).then_some(LeftOutFiles { count, files });
    }
}
