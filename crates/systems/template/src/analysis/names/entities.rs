//! Finds the entities of a project: what its records are about.
//!
//! A type in a folder of models is one; so is what several types do their work for: `OrderService`,
//! `OrdersController`.

use std::collections::{BTreeMap, BTreeSet};

use consign_code::{Class, Language};

use crate::analysis::{project::Project, roles};

const MOST: usize = 20;
/// General words of programming, which are not entities.
const GENERAL: &[&str] = &[
    "Base",
    "App",
    "Application",
    "Main",
    "Home",
    "Error",
    "Health",
    "Auth",
    "Api",
    "Default",
    "Index",
    "ApplicationRecord",
    "Entity",
    "Data",
    "Db",
    "Root",
    "Health",
    "Generic",
    "Meta",
    "Err",
    "Result",
    "State",
    "Abstract",
    "Crud",
    "Not",
    "Global",
    "User",
];

pub(super) fn of(project: &Project) -> Vec<String> {
    let mut votes: BTreeMap<String, usize> = BTreeMap::new();
    for one in &project.seen.types {
        let name = interface(&one.name);
        let layer = roles::layer(&one.path, false).map(|(layer, _)| layer);
        let domain = one
            .path
            .to_ascii_lowercase()
            .split('/')
            .any(|part| part == "domain" || part.ends_with(".domain"));
        if let Some(stem) = roles::without_end(name) {
            let stem = verb(stem);
            *votes.entry(singular(stem)).or_default() += 1;
        } else if (!one.is_abstract || is_typescript(&one.path))
            && (layer == Some("models") || domain)
        {
            *votes.entry(singular(name)).or_default() += 3;
        }
    }
    let stems = stems(project);
    for one in project.seen.types.iter().take(2_000) {
        let record = !one.is_abstract || is_typescript(&one.path);
        if record && roles::without_end(&one.name).is_none() && is_in_several(&one.name, &stems) {
            *votes.entry(singular(&one.name)).or_default() += 2;
        }
    }
    // Where there are functions and no types, files are called after what they are about.
    for source in project.sources.iter().filter(|source| source.class == Class::Source) {
        let name = source.name();
        let stem = pascal(name.rsplit_once('.').map_or(name, |(stem, _)| stem));
        if let Some(stem) = roles::without_end(&stem) {
            *votes.entry(singular(verb(stem))).or_default() += 1;
        }
    }
    let mut found: Vec<(String, usize)> =
        votes.into_iter().filter(|(name, votes)| *votes >= 2 && is_entity(name)).collect();
    found.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
    found.into_iter().take(MOST).map(|(name, _)| name).collect()
}

fn is_entity(name: &str) -> bool {
    let plain = name.chars().all(char::is_alphanumeric) && name.len() >= 3;
    let ends = ["Context", "Exception", "Error", "Status", "Kind", "Id", "Options", "Event"];
    let user = name == "User";
    plain
        && name.starts_with(char::is_uppercase)
        && (user || !GENERAL.contains(&name))
        && !ends.iter().any(|end| name.len() > end.len() && name.ends_with(end))
}

/// What files are called, without their ends and as types are written.
fn stems(project: &Project) -> BTreeSet<String> {
    let code = project.code().map(|one| {
        let name = one.path.rsplit('/').next().unwrap_or(&one.path);
        pascal(name.split('.').next().unwrap_or(name))
    });
    code.collect()
}

/// Whether files are called after a type, and not only its own: `PlantList`, `usePlants`.
fn is_in_several(name: &str, stems: &BTreeSet<String>) -> bool {
    let about = |stem: &&String| {
        stem.starts_with(name) || stem.strip_suffix('s').unwrap_or(stem).ends_with(name)
    };
    name.len() > 2 && stems.iter().filter(about).take(2).count() == 2
}

/// Interfaces of TypeScript are records as often as not.
fn is_typescript(path: &str) -> bool {
    matches!(Language::of(path), Some(Language::TypeScript | Language::Tsx))
}

/// `OrderController` of `order_controller`, `order.controller` and `orderController`.
fn pascal(name: &str) -> String {
    let parts = name.split(['.', '_', '-']).filter(|part| !part.is_empty());
    let big = |part: &str| {
        let mut letters = part.chars();
        letters.next().map(|first| first.to_uppercase().chain(letters).collect::<String>())
    };
    parts.filter_map(big).collect()
}

/// `OrderRepository` of `IOrderRepository`.
fn interface(name: &str) -> &str {
    let rest = name.strip_prefix('I').filter(|rest| {
        let mut letters = rest.chars();
        letters.next().is_some_and(char::is_uppercase)
            && letters.next().is_some_and(char::is_lowercase)
    });
    rest.unwrap_or(name)
}

/// `Order` of `CreateOrder`: commands and their like begin with what is done.
fn verb(name: &str) -> &str {
    let verbs = [
        "Create", "Update", "Delete", "Get", "List", "Add", "Remove", "Find", "InMemory", "Sql",
        "Place",
    ];
    let rest = verbs.iter().find_map(|verb| name.strip_prefix(verb));
    let rest = rest.filter(|rest| rest.starts_with(char::is_uppercase)).unwrap_or(name);
    rest.strip_suffix("ById").unwrap_or(rest)
}

pub(super) fn singular(name: &str) -> String {
    if let Some(stem) = name.strip_suffix("ies")
        && stem.len() > 1
    {
        return format!("{stem}y");
    }
    for end in ["sses", "xes", "ches", "shes"] {
        if name.ends_with(end) {
            return name[..name.len() - 2].to_owned();
        }
    }
    match name.strip_suffix('s') {
        Some(stem) if !stem.ends_with('s') && !stem.ends_with('u') && stem.len() > 2 => {
            stem.to_owned()
        }
        Some(_) | None => name.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_made_singular() {
        for (many, one) in [
            ("Orders", "Order"),
            ("Categories", "Category"),
            ("Boxes", "Box"),
            ("Addresses", "Address"),
            ("Status", "Status"),
            ("Address", "Address"),
            ("Bus", "Bus"),
        ] {
            assert_eq!(singular(many), one);
        }
    }
}
