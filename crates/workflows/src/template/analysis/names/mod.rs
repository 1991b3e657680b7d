//! The names that belong to this one project.

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
    let own = own.filter(|manifest| manifest.name.is_some() && !is_aside(&manifest.path));
    let own = own.min_by_key(|manifest| manifest.depth());
    let said = own.and_then(|manifest| manifest.name.as_deref());
    let said = said.map(|name| name.rsplit('/').next().unwrap_or(name));
    let versioned = |name: &str| name.starts_with('v') && name[1..].chars().all(|c| c.is_numeric());
    match said {
        Some(name) if !name.is_empty() && !versioned(name) => name.to_owned(),
        Some(_) | None => project.folder.clone(),
    }
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
