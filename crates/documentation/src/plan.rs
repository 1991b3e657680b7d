//! What will be written: sections of each target, with the sources that they are written from.

use std::collections::BTreeSet;

use consign_contracts::authoring::DocDepth;

use super::{Contract, Facts};

/// The plan of a job. A person may approve it.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
pub struct Plan {
    pub sections: Vec<Planned>,
}

/// One section of one document.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
pub struct Planned {
    pub path: String,
    /// `Heading: what it says`.
    pub outline: String,
    /// `path:line`.
    pub sources: Vec<String>,
}

/// The plan by rules: the sections of the contracts, each with what the repository knows about it.
#[must_use]
pub fn plan(facts: &Facts, targets: &[String], depth: DocDepth) -> Plan {
    let most = match depth {
        DocDepth::Lite => 4,
        DocDepth::Standard => 12,
        DocDepth::Deep => 40,
    };
    let mut sections = Vec::new();
    for path in targets {
        for section in Contract::of(path).sections() {
            let (about, sources) = about(facts, path, section.name);
            let sources: BTreeSet<String> = sources.into_iter().collect();
            sections.push(Planned {
                path: path.clone(),
                outline: format!("{}: {about}", section.name),
                sources: sources.into_iter().take(most).collect(),
            });
        }
    }
    Plan { sections }
}

fn about(facts: &Facts, path: &str, section: &str) -> (String, Vec<String>) {
    let manifests = || {
        facts
            .packages
            .iter()
            .map(|package| format!("{}:{}", package.path, package.line))
            .collect::<Vec<_>>()
    };
    let commands = |purposes: &[&str]| {
        facts
            .commands
            .iter()
            .filter(|command| purposes.is_empty() || purposes.contains(&command.purpose.as_str()))
            .map(|command| command.source.to_string())
            .collect::<Vec<_>>()
    };
    let api = || facts.api.iter().map(|item| item.source.to_string()).collect::<Vec<_>>();
    let endpoints =
        || facts.endpoints.iter().map(|endpoint| endpoint.source.to_string()).collect::<Vec<_>>();
    let documents = |word: &str| {
        facts
            .documents
            .iter()
            .filter(|path| path.to_lowercase().contains(word))
            .map(|path| format!("{path}:1"))
            .collect::<Vec<_>>()
    };
    match section {
        "Title" => (format!("{} and what it is", facts.name), manifests()),
        "Features" => (
            format!(
                "{} programs, {} public items, {} endpoints",
                facts.programs.len(),
                facts.api.len(),
                facts.endpoints.len()
            ),
            [api(), endpoints()].concat(),
        ),
        "Installation" | "Prerequisites" => (
            "the tools that are needed and how to install".to_owned(),
            [manifests(), commands(&["install", "build"])].concat(),
        ),
        "Usage" | "Examples" => (
            "programs, commands and entry points".to_owned(),
            [
                facts.programs.iter().map(|program| program.source.to_string()).collect(),
                commands(&["run"]),
                api(),
            ]
            .concat(),
        ),
        "Configuration" => (
            format!(
                "{} environment variables and {} files",
                facts.environment.len(),
                facts.configuration.len()
            ),
            facts.environment.iter().map(|variable| variable.source.to_string()).collect(),
        ),
        "Contributing" => (
            "how to build, test and send a change".to_owned(),
            [documents("contributing"), commands(&["test", "lint", "build"])].concat(),
        ),
        "License" => (
            facts.licences.iter().cloned().collect::<Vec<_>>().join(", "),
            facts.licence_files.iter().map(|path| format!("{path}:1")).collect(),
        ),
        "Endpoints" => (
            format!("{} endpoints, {} public items", facts.endpoints.len(), facts.api.len()),
            [endpoints(), api()].concat(),
        ),
        "Unreleased" | "Versions" | "Breaking Changes" => (
            format!("{} commits worth telling", facts.changes.len()),
            facts.changes.iter().map(|change| format!("commit {}", change.id)).collect(),
        ),
        "Main Content" => (
            format!("what {} is about", path.rsplit('/').next().unwrap_or(path)),
            [
                manifests(),
                facts.directories.iter().map(|folder| format!("{}/", folder.path)).collect(),
            ]
            .concat(),
        ),
        "Troubleshooting" | "Error Handling" => {
            ("what fails and what to do".to_owned(), commands(&["test"]))
        }
        _ => ("what the repository says about it".to_owned(), manifests()),
    }
}
