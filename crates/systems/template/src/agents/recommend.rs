//! Recommends agents for a project, by rules.
//!
//! Each rule looks at one kind of finding, and its reason says what was found and where. A project in
//! which nothing was found gets none.

use std::collections::BTreeSet;

use super::{MOST_AGENTS, dependencies};
use crate::{
    Source,
    analysis::{Analysis, Evidence, Layer},
    package::{AgentSpec, ExistingAgents},
    plain,
};

/// Findings with a lower confidence are ignored.
const SURE: f64 = 0.5;
/// A layer of fewer files needs no agent.
const FEWEST_FILES: usize = 3;

/// The agents that the project needs and that do not exist yet, the most important first.
#[must_use]
pub fn recommend(analysis: &Analysis, existing: &ExistingAgents) -> Vec<AgentSpec> {
    let mut specs = frameworks(analysis);
    specs.extend(patterns(analysis));
    specs.extend(testing(analysis));
    specs.extend(layers(analysis));
    specs.extend(dependencies(analysis));
    specs.extend(delivery(analysis));
    specs.extend(conventions(analysis));
    let mut seen = BTreeSet::new();
    specs.retain(|spec| {
        !spec.name.is_empty()
            && existing.whose(&spec.name).is_none()
            && seen.insert(spec.name.clone())
    });
    specs.sort_by(|a, b| b.priority.cmp(&a.priority).then_with(|| a.name.cmp(&b.name)));
    specs.truncate(MOST_AGENTS);
    specs
}

fn spec(
    name: &str,
    description: &str,
    reason: &str,
    technologies: &[&str],
    priority: u8,
) -> AgentSpec {
    let technologies = technologies.iter().map(|technology| plain::line(technology, 100));
    let mut seen = BTreeSet::new();
    AgentSpec {
        name: plain::slug(name),
        description: plain::line(description, 1000),
        reason: plain::line(reason, 1000),
        technologies: technologies
            .filter(|technology| !technology.is_empty() && seen.insert(technology.to_lowercase()))
            .collect(),
        priority,
        source: Source::Heuristic,
    }
}

fn frameworks(analysis: &Analysis) -> Vec<AgentSpec> {
    let sure = analysis.frameworks.iter().filter(|found| found.confidence >= SURE);
    let agents = sure.take(3).enumerate().map(|(rank, found)| {
        let name = &found.name;
        let version = found.version.as_deref().map(|version| format!(" {version}"));
        let version = version.unwrap_or_default();
        spec(
            &format!("{name}-specialist"),
            &format!("Adds and changes {name} code the way this project writes it."),
            &format!("The project uses {name}{version}{}.", seen(&found.evidence)),
            &[name, &analysis.primary_language],
            if rank == 0 { 9 } else { 7 },
        )
    });
    agents.collect()
}

fn patterns(analysis: &Analysis) -> Vec<AgentSpec> {
    let sure = analysis.architecture.iter().filter(|found| found.confidence >= SURE);
    let agents = sure.take(5).map(|found| {
        let name = &found.name;
        spec(
            &format!("{name}-pattern-specialist"),
            &format!("Keeps to the project's {name} pattern when something is added or moved."),
            &format!("The project follows {name}{}.", seen(&found.evidence)),
            &[name, &analysis.primary_language],
            8,
        )
    });
    agents.collect()
}

fn testing(analysis: &Analysis) -> Vec<AgentSpec> {
    let agents = analysis.testing.iter().take(2).enumerate().map(|(rank, found)| {
        let name = &found.framework;
        let files = plain::count(found.files, "test file");
        spec(
            &format!("{}-test-writer", name.trim_end_matches(" test")),
            &format!("Writes and mends tests with {name}, in the style of those that are there."),
            &format!("{name} runs {files}{}.", seen(&found.evidence)),
            &[name, "testing", &analysis.primary_language],
            if rank == 0 { 8 } else { 5 },
        )
    });
    agents.collect()
}

fn layers(analysis: &Analysis) -> Vec<AgentSpec> {
    let large = analysis.layers.iter().filter(|layer| layer.files >= FEWEST_FILES);
    // One that repeats a pattern's name has an agent already.
    let pattern = |layer: &&Layer| {
        analysis
            .architecture
            .iter()
            .any(|found| plain::slug(&found.name) == plain::slug(&layer.name))
    };
    let agents = large.filter(|layer| !pattern(layer)).map(|layer| {
        let name = &layer.name;
        let folders = layer.folders.iter().take(3).cloned().collect::<Vec<_>>().join(", ");
        let (files, tests) = (plain::count(layer.files, "file"), plain::count(layer.tests, "test"));
        spec(
            &format!("{name}-layer-specialist"),
            &format!("Works in the {name} layer and keeps other layers' work out of it."),
            &format!("The {name} layer has {files} in {folders}, with {tests}."),
            &[name, &analysis.primary_language],
            if layer.files >= 10 { 6 } else { 5 },
        )
    });
    agents.collect()
}

fn dependencies(analysis: &Analysis) -> Vec<AgentSpec> {
    let known = analysis.dependencies.iter().filter_map(|dependency| {
        let (usual, trade) = dependencies::known(&dependency.name)?;
        let version = dependency.version.as_deref().unwrap_or("any version");
        Some(spec(
            &format!("{usual}-{}", trade.suffix),
            &format!("{} with {usual}.", trade.does),
            &format!("{} depends on {} ({version}).", dependency.manifest, dependency.name),
            &[usual, trade.technology, &analysis.primary_language],
            trade.priority,
        ))
    });
    known.collect()
}

/// Recognises files that build or ship the project, with the tool and the kind of work.
pub(super) fn shipping(path: &str) -> Option<(&'static str, &'static str)> {
    let name = path.rsplit('/').next().unwrap_or(path).to_lowercase();
    if path.starts_with(".github/workflows/") {
        Some(("GitHub Actions", "ci"))
    } else if path == ".gitlab-ci.yml" {
        Some(("GitLab CI", "ci"))
    } else if name.starts_with("dockerfile") || name.starts_with("docker-compose") {
        Some(("Docker", "containers"))
    } else {
        None
    }
}

fn delivery(analysis: &Analysis) -> Vec<AgentSpec> {
    let agents = analysis.key_files.iter().filter_map(|file| {
        let (name, technology) = shipping(&file.path)?;
        Some(spec(
            &format!("{name}-specialist"),
            &format!("Changes how the project is built and shipped with {name}."),
            &format!("The project has {}.", file.path),
            &[name, technology],
            4,
        ))
    });
    agents.collect()
}

fn conventions(analysis: &Analysis) -> Option<AgentSpec> {
    let found = (analysis.conventions.names().into_iter())
        .chain(analysis.conventions.failures())
        .filter(|count| count.count > 0)
        .take(4)
        .map(|count| {
            format!("{}: {} in {}", count.of, count.value, plain::count(count.count, "place"))
        });
    let found: Vec<String> = found.collect();
    let language = &analysis.primary_language;
    (!found.is_empty() && !language.is_empty()).then(|| {
        spec(
            &format!("{language}-conventions-keeper"),
            &format!("Reviews {language} changes against the project's own conventions."),
            &format!("The project writes {}.", found.join("; ")),
            &[language, "conventions"],
            4,
        )
    })
}

fn seen(evidence: &[Evidence]) -> String {
    let places: Vec<String> = evidence.iter().take(2).map(|one| one.path.clone()).collect();
    if places.is_empty() { String::new() } else { format!(", seen in {}", places.join(" and ")) }
}

#[cfg(test)]
pub(super) mod tests;
