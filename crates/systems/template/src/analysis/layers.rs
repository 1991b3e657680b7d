//! Finds the layers of a project, and the tests that belong to each.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use consign_code::Class;

use super::{Analysis, Layer, measure::Source, project::Project, roles};

/// Folders that are named for one layer.
const MOST_FOLDERS: usize = 50;

/// The layer of a file of the project that was analysed, by the rules that found the layers.
#[must_use]
pub fn layer_of(analysis: &Analysis, path: &str) -> Option<&'static str> {
    let names: Vec<&str> = analysis.layers.iter().map(|layer| layer.name.as_str()).collect();
    roles::layer(path, are_rings(&names)).map(|(layer, _)| layer)
}

fn are_rings(names: &[&str]) -> bool {
    let rings = ["domain", "application", "infrastructure", "presentation", "ports", "adapters"];
    rings.iter().filter(|ring| names.contains(ring)).count() >= 2
}

pub(super) fn of(project: &Project) -> Vec<Layer> {
    let code = || project.sources.iter().filter(|source| source.class == Class::Source);
    let mut rings = BTreeSet::new();
    for source in code() {
        rings.extend(roles::rings(&source.path).into_iter().map(|(ring, _)| ring));
    }
    let in_rings = rings.len() >= 2;
    let mut found: BTreeMap<&str, (usize, BTreeSet<&str>, usize)> = BTreeMap::new();
    // Names of files by what they are called without their ends, to find out whose test a test is.
    let mut stems: HashMap<String, &str> = HashMap::new();
    for source in code() {
        let Some((layer, folder)) = roles::layer(&source.path, in_rings) else { continue };
        let entry = found.entry(layer).or_default();
        entry.0 += 1;
        if !folder.is_empty() {
            entry.1.insert(folder);
        }
        stems.entry(stem(source)).or_insert(layer);
    }
    for test in project.sources.iter().filter(|source| source.is_test()) {
        let named = stems.get(&tested(&stem(test))).copied();
        let placed = || roles::layer(&test.path, in_rings).map(|(layer, _)| layer);
        if let Some(entry) = named.or_else(placed).and_then(|layer| found.get_mut(layer)) {
            entry.2 += 1;
        }
    }
    let mut layers: Vec<Layer> = found
        .into_iter()
        .map(|(name, (files, folders, tests))| Layer {
            name: name.to_owned(),
            folders: folders.into_iter().take(MOST_FOLDERS).map(str::to_owned).collect(),
            files,
            tests,
        })
        .collect();
    layers.sort_by(|a, b| b.files.cmp(&a.files).then_with(|| a.name.cmp(&b.name)));
    layers
}

fn stem(source: &Source) -> String {
    let name = source.name();
    let stem = name.rsplit_once('.').map_or(name, |(stem, _)| stem);
    stem.replace(['.', '_', '-'], "").to_ascii_lowercase()
}

/// The name of what a test tests: its own name without the test prefix or suffix.
fn tested(stem: &str) -> String {
    let ends = ["tests", "test", "spec", "it"];
    let rest = ends.iter().find_map(|end| stem.strip_suffix(end)).unwrap_or(stem);
    rest.strip_prefix("test").unwrap_or(rest).to_owned()
}
