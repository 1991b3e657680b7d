//! Assigns source files to manifests.
//!
//! A file belongs to the nearest manifests above it that are for its language. The manifest with the most
//! source leads; of equals the one nearest to the root.

use std::collections::HashMap;

use consign_code::{Class, Language};

use super::{
    manifest::{Ecosystem, Manifest},
    project::{Project, is_aside},
};

/// The lines of source that belong to each manifest, in the order of the manifests.
pub(super) fn owned(project: &Project) -> Vec<usize> {
    let mut by_folder: HashMap<&str, Vec<usize>> = HashMap::new();
    for (at, manifest) in project.manifests.iter().enumerate() {
        by_folder.entry(manifest.folder()).or_default().push(at);
    }
    let mut lines = vec![0; project.manifests.len()];
    for source in project.sources.iter().filter(|source| source.class == Class::Source) {
        let mut folder = source.folder();
        loop {
            let own = by_folder.get(folder).into_iter().flatten();
            let fitting = own.filter(|at| {
                languages(project.manifests[**at].ecosystem).contains(&source.language)
            });
            let mut any = false;
            for at in fitting {
                lines[*at] += source.lines;
                any = true;
            }
            if any || folder.is_empty() {
                break;
            }
            folder = folder.rsplit_once('/').map_or("", |(above, _)| above);
        }
    }
    lines
}

/// Manifests, the one that leads first. Those of tests and examples come last.
pub(super) fn ranked<'a>(project: &'a Project, owned: &[usize]) -> Vec<(&'a Manifest, usize)> {
    let mut all: Vec<(&Manifest, usize)> =
        project.manifests.iter().zip(owned.iter().copied()).collect();
    all.sort_by(|(a, lines), (b, others)| {
        let key = |manifest: &Manifest, lines: usize| {
            (is_aside(&manifest.path), std::cmp::Reverse(lines), manifest.depth())
        };
        key(a, *lines).cmp(&key(b, *others)).then_with(|| a.path.cmp(&b.path))
    });
    all
}

pub(super) const fn languages(ecosystem: Ecosystem) -> &'static [Language] {
    match ecosystem {
        Ecosystem::Npm => &[
            Language::JavaScript,
            Language::TypeScript,
            Language::Tsx,
            Language::Vue,
            Language::Svelte,
        ],
        Ecosystem::Cargo => &[Language::Rust],
        Ecosystem::Go => &[Language::Go],
        Ecosystem::Maven | Ecosystem::Gradle => {
            &[Language::Java, Language::Kotlin, Language::Scala]
        }
        Ecosystem::Composer => &[Language::Php],
        Ecosystem::Gem => &[Language::Ruby],
        Ecosystem::DotNet => &[Language::CSharp],
        Ecosystem::Python => &[Language::Python],
    }
}
