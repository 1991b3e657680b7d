//! Finds root namespaces, packages and modules.

use std::collections::BTreeMap;

use consign_code::Language;

use crate::analysis::{
    manifest::{Ecosystem, Manifest},
    project::{Project, is_aside},
};

const MOST: usize = 10;

/// The most used first.
pub(super) fn of(project: &Project, ranked: &[(&Manifest, usize)]) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    let mut add = |name: String| {
        if !name.is_empty() && !found.contains(&name) && found.len() < MOST {
            found.push(name);
        }
    };
    let mut done: Vec<Ecosystem> = Vec::new();
    for (manifest, _) in ranked.iter().filter(|(manifest, _)| !is_aside(&manifest.path)) {
        let ecosystem = manifest.ecosystem;
        match ecosystem {
            Ecosystem::Npm | Ecosystem::Go => add(manifest.name.clone().unwrap_or_default()),
            Ecosystem::Cargo => add(manifest.name.clone().unwrap_or_default().replace('-', "_")),
            Ecosystem::Composer => add(manifest.fact("namespace").unwrap_or_default().to_owned()),
            Ecosystem::DotNet
            | Ecosystem::Maven
            | Ecosystem::Gradle
            | Ecosystem::Gem
            | Ecosystem::Python => {
                if done.contains(&ecosystem) {
                    continue;
                }
                done.push(ecosystem);
                match ecosystem {
                    Ecosystem::DotNet => add(common(project, Language::CSharp, "namespace ", '.')),
                    Ecosystem::Python => packages(project).into_iter().for_each(&mut add),
                    Ecosystem::Gem => modules(project).into_iter().for_each(&mut add),
                    Ecosystem::Maven | Ecosystem::Gradle => {
                        for language in [Language::Kotlin, Language::Java] {
                            add(common(project, language, "package ", '.'));
                        }
                    }
                    Ecosystem::Npm | Ecosystem::Go | Ecosystem::Cargo | Ecosystem::Composer => {}
                }
            }
        }
    }
    found
}

/// What all names after this word begin with.
fn common(project: &Project, language: Language, word: &str, between: char) -> String {
    let mut names: BTreeMap<String, usize> = BTreeMap::new();
    for one in project.code().filter(|one| one.language == language) {
        let line = one
            .text
            .lines()
            .find_map(|line| line.trim_start_matches('\u{FEFF}').strip_prefix(word));
        if let Some(name) = line {
            let end = name.find(|c: char| !(c.is_alphanumeric() || "._".contains(c)));
            *names.entry(name[..end.unwrap_or(name.len())].to_owned()).or_default() += 1;
        }
    }
    let mut names = names
        .into_keys()
        .map(|name| name.split(between).map(str::to_owned).collect::<Vec<String>>());
    let Some(mut shared) = names.next() else { return String::new() };
    for name in names {
        let same = shared.iter().zip(&name).take_while(|(a, b)| a == b).count();
        // One stray file does not make the rest nameless.
        if same > 0 {
            shared.truncate(same);
        }
    }
    shared.join(&between.to_string())
}

/// Folders of Python at the top that are packages.
fn packages(project: &Project) -> Vec<String> {
    let mut found: BTreeMap<&str, usize> = BTreeMap::new();
    for source in project.sources.iter().filter(|source| source.language == Language::Python) {
        let path = source.path.strip_prefix("src/").unwrap_or(&source.path);
        if let Some((top, _)) = path.split_once('/')
            && !source.is_test()
        {
            *found.entry(top).or_default() += 1;
        }
    }
    let is_package = |top: &str| {
        project.has(&format!("{top}/__init__.py")) || project.has(&format!("src/{top}/__init__.py"))
    };
    let mut found: Vec<(&str, usize)> =
        found.into_iter().filter(|(top, _)| is_package(top)).collect();
    found.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(b.0)));
    found.into_iter().map(|(top, _)| top.to_owned()).collect()
}

/// The module around an application of Ruby.
pub(super) fn modules(project: &Project) -> Vec<String> {
    let own = project.code().filter(|one| one.language == Language::Ruby);
    let mut own = own
        .filter(|one| one.path.ends_with("config/application.rb") || one.path.starts_with("lib/"));
    let line = own.find_map(|one| one.text.lines().find_map(|line| line.strip_prefix("module ")));
    line.map(|name| name.trim().to_owned()).into_iter().collect()
}
