//! Finds the names that belong to this project only: its own, its namespaces, its entities, its
//! authors.

mod entities;
mod namespaces;

use super::{
    Names,
    manifest::Manifest,
    project::{Project, is_aside},
};

pub(super) fn of(project: &Project, ranked: &[(&Manifest, usize)]) -> Names {
    Names {
        project: name(project, ranked),
        namespaces: namespaces::of(project, ranked),
        entities: entities::of(project),
        authors: authors(project),
    }
}

/// That of the manifest nearest to the root, without its scope; else of the solution, else of the folder.
fn name(project: &Project, ranked: &[(&Manifest, usize)]) -> String {
    let solution = project
        .paths()
        .find(|path| !path.contains('/') && (path.ends_with(".sln") || path.ends_with(".slnx")));
    if let Some(solution) = solution {
        return solution.rsplit_once('.').map_or(solution, |(stem, _)| stem).to_owned();
    }
    let own = ranked.iter().map(|(manifest, _)| *manifest);
    let own = own.filter(|manifest| !is_aside(&manifest.path));
    let top = own.clone().min_by_key(|manifest| (manifest.depth(), manifest.name.is_none()));
    // A workspace without a name is called like its folder, and not like one of its members.
    let own = own.filter(|manifest| manifest.name.is_some());
    let own = own.min_by_key(|manifest| manifest.depth());
    let own = own.filter(|manifest| {
        manifest.depth() == 0 || top.is_none_or(|top| !top.workspace || top.depth() > 0)
    });
    let said = own.and_then(|manifest| manifest.name.as_deref());
    let said = said.map(|name| name.rsplit('/').next().unwrap_or(name));
    let versioned = |name: &str| name.starts_with('v') && name[1..].chars().all(|c| c.is_numeric());
    match said {
        Some(name) if !name.is_empty() && !versioned(name) => name.to_owned(),
        Some(_) | None => nameless(project),
    }
}

/// The name of something whose manifests have none: what an application calls itself, else its folder.
fn nameless(project: &Project) -> String {
    let settings = project.paths().find_map(|path| path.strip_suffix("/settings.py"));
    let settings = settings.filter(|_| project.has("manage.py")).map(str::to_owned);
    let module = namespaces::modules(project).into_iter().next();
    settings.or(module).unwrap_or_else(|| project.folder.clone())
}

fn authors(project: &Project) -> Vec<String> {
    let mut all: Vec<String> = Vec::new();
    let own = project.manifests.iter().filter(|manifest| !is_aside(&manifest.path));
    for author in own.flat_map(|manifest| &manifest.authors) {
        let author: String = author.chars().filter(|c| !c.is_control()).take(100).collect();
        if !author.is_empty() && !all.contains(&author) && all.len() < 20 {
            all.push(author);
        }
    }
    all
}
