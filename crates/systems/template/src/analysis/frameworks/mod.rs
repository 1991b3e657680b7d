//! Finds the frameworks that a project uses, with versions.
//!
//! A manifest that names a framework is one sign, source that imports it another, a file that its tools want
//! a third. One sign alone is weak: a dependency may be left over, an import may be in dead code. The
//! framework of the manifest with the most source shapes the project; in one manifest, the one built on the
//! others does.

mod dotnet;
mod rules;

use consign_code::Language;

use self::rules::{RULES, Rule};
use super::{
    Evidence, Framework,
    languages::rounded,
    manifest::{Declared, Ecosystem, Manifest, Use},
    project::{Project, is_aside},
};

/// A candidate with the source that its manifests speak for, and its rank.
type Candidate = (Framework, usize, u8);

pub(super) fn of(project: &Project, owned: &[usize]) -> Vec<Framework> {
    let mut found = dotnet::of(project, owned);
    found.extend(RULES.iter().filter_map(|rule| weigh(rule, project, owned)));
    if !found.iter().any(|(framework, _, _)| is_go(&framework.name)) {
        found.extend(standard_library(project, owned));
    }
    found.sort_by(|(a, lines, rank), (b, others, other)| {
        others.cmp(lines).then(other.cmp(rank)).then_with(|| a.name.cmp(&b.name))
    });
    order(&mut found);
    found.into_iter().map(|(framework, _, _)| framework).collect()
}

/// The names of frameworks, each with its packages.
pub(super) fn known() -> impl Iterator<Item = (&'static str, &'static [&'static str])> {
    RULES.iter().map(|rule| (rule.name, rule.packages))
}

fn weigh(rule: &Rule, project: &Project, owned: &[usize]) -> Option<Candidate> {
    let mut framework = Framework { name: rule.name.to_owned(), ..Framework::default() };
    let (mut lines, mut runtime, mut named, mut optional) = (0, false, false, true);
    let mut best: Option<(usize, usize)> = None;
    let mut manifests: Vec<(&Manifest, usize)> =
        project.manifests.iter().zip(owned.iter().copied()).collect();
    manifests.sort_by_key(|(manifest, lines)| (std::cmp::Reverse(*lines), manifest.depth()));
    for (manifest, own) in manifests {
        if !manifest.ecosystem.shares_with(rule.ecosystem) || is_aside(&manifest.path) {
            continue;
        }
        // Who is the framework does not stand on it.
        if manifest.name.as_deref().is_some_and(|name| is_itself(rule, name)) {
            return None;
        }
        let Some((place, declared)) = first(rule, manifest) else { continue };
        named = true;
        runtime |= declared.used != Use::Development;
        optional &= declared.optional;
        lines += own;
        // The version of the leading manifest, of the package that has it.
        if declared.version.is_some() && best.is_none_or(|(other, _)| place < other) {
            framework.version.clone_from(&declared.version);
            best = Some((place, own));
        }
        let version = declared.version.as_deref().unwrap_or("any version");
        let what = format!("depends on `{}` ({version})", declared.name);
        framework.evidence.push(Evidence {
            path: manifest.path.clone(),
            line: Some(declared.line),
            what,
        });
    }
    // Nor does a tree that has its package.
    let packages = rule.packages.iter().filter(|_| rule.ecosystem == Ecosystem::Python);
    let mut homes =
        packages.flat_map(|name| ["", "src/"].map(|top| format!("{top}{name}/__init__.py")));
    if homes.any(|home| project.has(&home)) {
        return None;
    }
    framework.evidence.truncate(4);
    let imported = import(rule, project);
    let imports = imported.is_some();
    framework.evidence.extend(imported);
    let marked = rule.marks.iter().find_map(|mark| {
        project.paths().find(|path| path.rsplit('/').next() == Some(*mark) && !is_aside(path))
    });
    if let Some(path) = marked {
        let what = "its tools want this file".to_owned();
        framework.evidence.push(Evidence { path: path.to_owned(), line: None, what });
    }
    let marked = marked.is_some();
    // Imports without a manifest count where there is none that could name it.
    let bare =
        imports && !project.manifests.iter().any(|m| m.ecosystem.shares_with(rule.ecosystem));
    if !named && !bare {
        return None;
    }
    // What nothing imports and no file marks is left over, or does its work behind the scenes.
    let silent = !imports && !marked;
    if silent && project.code_in(rules::languages(rule)).next().is_some() {
        return None;
    }
    let signs = [(named, 0.55), (imports, 0.3), (marked, 0.15), (runtime && named, 0.1)];
    let sum: f64 = signs.iter().filter(|(seen, _)| *seen).map(|(_, weight)| weight).sum();
    framework.confidence = rounded(sum.min(0.98));
    // What may be left out adds to the project, and does not shape it.
    let rank = if named && optional { rule.rank / 2 } else { rule.rank };
    Some((framework, lines.max(usize::from(bare)), rank))
}

fn first<'a>(rule: &Rule, manifest: &'a Manifest) -> Option<(usize, &'a Declared)> {
    let known = manifest.dependencies.iter();
    let known = known.filter_map(|one| Some((rule.is_package(&one.name)?, one)));
    known.min_by_key(|(place, one)| (one.version.is_none(), *place, one.used))
}

fn is_itself(rule: &Rule, name: &str) -> bool {
    rule.packages.contains(&name)
        || rule.ecosystem == Ecosystem::Python && rule.is_package(&name.to_lowercase()).is_some()
}

fn import(rule: &Rule, project: &Project) -> Option<Evidence> {
    let languages = rules::languages(rule);
    let components: &[Language] = match rule.name {
        "Vue" | "Nuxt" => &[Language::Vue, Language::TypeScript, Language::JavaScript],
        "Svelte" => &[Language::Svelte],
        _ => languages,
    };
    let (one, (line, needle)) =
        project.code_in(components).find_map(|one| Some((one, one.find(rule.imports)?)))?;
    let what = format!("imports it: `{}`", needle.trim());
    Some(Evidence { path: one.path.clone(), line: Some(line), what })
}

fn is_go(name: &str) -> bool {
    RULES.iter().any(|rule| rule.ecosystem == Ecosystem::Go && rule.name == name && rule.rank > 70)
}

/// A Go server that uses the standard library only. Its version is that of the language.
fn standard_library(project: &Project, owned: &[usize]) -> Option<Candidate> {
    let serves = [
        "http.ListenAndServe",
        "http.NewServeMux",
        "http.HandleFunc",
        "http.Server{",
        "http.Handler",
    ];
    // A module without a program is somebody's library.
    let program = |text: &str| text.lines().any(|line| line.trim_end() == "package main");
    if !project.code_in(&[Language::Go]).any(|one| program(&one.text)) {
        return None;
    }
    let go = project.code_in(&[Language::Go]);
    let (one, (line, needle)) = go
        .filter(|one| one.text.contains("\"net/http\""))
        .find_map(|one| Some((one, one.find(&serves)?)))?;
    let module = project.manifests.iter().zip(owned);
    let module = module.filter(|(manifest, _)| manifest.ecosystem == Ecosystem::Go);
    let (manifest, lines) = module.max_by_key(|(_, lines)| **lines).unzip();
    let what = format!("serves with the standard library: `{needle}`");
    let framework = Framework {
        name: "net/http".to_owned(),
        version: manifest.and_then(|manifest: &Manifest| manifest.fact("go")).map(str::to_owned),
        confidence: 0.8,
        evidence: vec![Evidence { path: one.path.clone(), line: Some(line), what }],
    };
    Some((framework, lines.copied().unwrap_or(1), 65))
}

/// A framework comes before the one that it is built on, unless it is used only in a small part of
/// the project.
fn order(found: &mut [Candidate]) {
    for at in 0..found.len() {
        let Some(rule) = RULES.iter().find(|rule| rule.name == found[at].0.name) else { continue };
        let base = found[..at].iter().position(|(framework, lines, _)| {
            rule.base.contains(&framework.name.as_str()) && found[at].1 * 5 >= *lines
        });
        if let Some(base) = base {
            found[base..=at].rotate_right(1);
        }
    }
}
