//! Patterns of the whole tree: feature folders, monorepos, services.

use std::collections::{BTreeMap, BTreeSet};

use consign_code::Class;

use super::{
    look::Look,
    signs::{Signs, Sort},
};
use crate::analysis::{Pattern, manifest::Ecosystem, project::is_aside, roles};

/// Words for the folder around features.
const AROUND: &[&str] = &["features", "feature", "modules", "apps", "domains", "slices"];

/// A folder, and the roles in it that others beside it have too.
type Feature<'a> = (&'a str, Vec<&'a str>);

/// Folders beside each other that have the same roles in them.
pub(super) fn features(look: &Look<'_>) -> Option<Pattern> {
    // By parent: the folders in it, with the roles of their files.
    let mut parents: BTreeMap<&str, BTreeMap<&str, BTreeSet<&str>>> = BTreeMap::new();
    for source in &look.project.sources {
        if source.class != Class::Source {
            continue;
        }
        let Some((parent, _)) = source.folder().rsplit_once('/').or(Some(("", ""))) else {
            continue;
        };
        let around = |part: &str| AROUND.contains(&part.to_ascii_lowercase().as_str());
        // Below `features`, the feature is the folder after it, however deep the file is.
        let (parent, feature) = match split_after(&source.path, around) {
            Some(split) => split,
            None => (parent, source.folder()),
        };
        // A folder that is a layer is no feature.
        let word = feature.rsplit(['/', '.']).next().unwrap_or(feature);
        if feature.is_empty() || roles::layer(&format!("{word}/x"), false).is_some() {
            continue;
        }
        let role = roles::of_name(&source.path).or_else(|| {
            let inner = source.path.strip_prefix(feature)?.trim_start_matches('/');
            roles::layer(inner, false).map(|(layer, _)| layer)
        });
        let known = parents.entry(parent).or_default().entry(feature).or_default();
        if let Some(role) = role {
            known.insert(role);
        }
    }
    let mut best: Option<(&str, Vec<Feature<'_>>)> = None;
    for (parent, features) in &parents {
        let shared: Vec<Feature<'_>> = features
            .iter()
            .filter_map(|(feature, roles)| {
                let again = |role: &&&str| {
                    features
                        .iter()
                        .any(|(other, theirs)| other != feature && theirs.contains(**role))
                };
                let common: Vec<&str> = roles.iter().filter(again).copied().collect();
                (common.len() >= 2).then_some((*feature, common))
            })
            .collect();
        if shared.len() >= 2 && best.as_ref().is_none_or(|(_, known)| known.len() < shared.len()) {
            best = Some((parent, shared));
        }
    }
    let (parent, shared) = best?;
    let mut signs = Signs::default();
    for (feature, roles) in shared.iter().take(4) {
        signs.see(Sort::Shape, feature, None, format!("has its own {}", roles.join(", ")));
    }
    let what = format!("{} folders beside each other have the same roles", shared.len());
    signs.see(Sort::Folder, parent, None, what);
    signs.pattern("Feature folders")
}

fn split_after(path: &str, is: impl Fn(&str) -> bool) -> Option<(&str, &str)> {
    let (folders, _) = path.rsplit_once('/')?;
    let mut end = 0;
    let mut parts = folders.split('/');
    while let Some(part) = parts.next() {
        end += part.len();
        if is(part) {
            let feature = parts.next()?;
            return Some((&folders[..end], &folders[..end + 1 + feature.len()]));
        }
        end += 1;
    }
    None
}

/// Several packages in one tree, and a file that says so.
pub(super) fn monorepo(look: &Look<'_>) -> Option<Pattern> {
    let mut signs = Signs::default();
    let project = look.project;
    for path in &project.shared.workspaces {
        signs.see(Sort::Shape, path, None, "names its packages".to_owned());
    }
    for manifest in project.manifests.iter().filter(|manifest| manifest.workspace) {
        signs.see(Sort::Shape, &manifest.path, None, "names its members".to_owned());
    }
    for tool in ["nx.json", "turbo.json", "lerna.json", "rush.json"] {
        if project.has(tool) {
            signs.see(Sort::Shape, tool, None, "a tool for many packages".to_owned());
        }
    }
    let members: Vec<&str> = project
        .manifests
        .iter()
        .filter(|manifest| manifest.depth() > 0 && manifest.ecosystem != Ecosystem::DotNet)
        .filter(|manifest| !is_aside(&manifest.path))
        .map(|manifest| manifest.path.as_str())
        .collect();
    if members.len() < 2 {
        return None;
    }
    for path in members.iter().take(4) {
        signs.see(Sort::Package, path, None, "a package of its own".to_owned());
    }
    signs.pattern("Monorepo")
}

/// Programs that are deployed separately.
pub(super) fn services(look: &Look<'_>) -> Option<Pattern> {
    let mut signs = Signs::default();
    let manifests = || look.project.manifests.iter().filter(|manifest| manifest.depth() > 0);
    let folders: BTreeSet<&str> = manifests().map(|manifest| manifest.folder()).collect();
    let shipped: Vec<&str> = folders
        .into_iter()
        .filter(|folder| look.project.has(&format!("{folder}/Dockerfile")))
        .collect();
    if shipped.len() < 2 {
        return None;
    }
    for folder in shipped.iter().take(4) {
        signs.see(Sort::Package, folder, None, "has its own manifest and image".to_owned());
    }
    for name in ["docker-compose.yml", "docker-compose.yaml", "compose.yaml", "compose.yml"] {
        if look.project.has(name) {
            signs.see(Sort::Shape, name, None, "starts them together".to_owned());
        }
    }
    look.see_folder(&mut signs, &["services"]);
    signs.pattern("Microservices")
}
