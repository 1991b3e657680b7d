//! The scored report of `--validate`: how useful a package is.

use std::collections::BTreeSet;

use consign_code::{Cancel, is_well_formed};
use serde::{Deserialize, Serialize};

use super::{paths::apart, safe};
use crate::{
    new::settled,
    package::Package,
    placeholders::{Casing, Key, Subject, fill, is_foreign, words},
    plain,
};

/// A name that no project has, for a trial.
const TRIAL: &str = "zebra-quagga";
const TRIAL_ENTITY: &str = "OkapiTapir";
const TRIAL_NAMESPACE: &str = "vicuna-guanaco";
/// How many sentences one check lists.
const MOST: usize = 5;

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Validation {
    pub points: u32,
    pub out_of: u32,
    pub checks: Vec<Check>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Check {
    pub name: String,
    pub points: u32,
    pub out_of: u32,
    /// What was found, in sentences.
    pub why: Vec<String>,
}

impl Check {
    /// All points without a fault, and fewer with each of `looked` that has one.
    fn of(name: &str, out_of: u32, looked: usize, faults: Vec<String>, good: String) -> Self {
        let lacking = faults.len().min(looked.max(1));
        let kept = looked.max(1) - lacking;
        let share = u64::from(out_of) * u64::try_from(kept).unwrap_or(0);
        let points = share / u64::try_from(looked.max(1)).unwrap_or(1);
        let more = faults.len().saturating_sub(MOST);
        let mut why: Vec<String> = faults.into_iter().take(MOST).collect();
        if more > 0 {
            why.push(format!("And {more} more."));
        }
        if why.is_empty() {
            why.push(good);
        }
        Self { name: name.to_owned(), points: u32::try_from(points).unwrap_or(0), out_of, why }
    }
}

/// Looks at a package without writing anything.
#[must_use]
pub fn report(package: &Package) -> Validation {
    let trial = trial(package);
    let checks = vec![
        manifest(package),
        filled(package, &trial),
        parses(package, &trial),
        names(package, &trial),
        agents(package),
        complete(package),
        whole(package),
    ];
    let sum = |of: fn(&Check) -> u32| checks.iter().map(of).sum();
    Validation { points: sum(|it| it.points), out_of: sum(|it| it.out_of), checks }
}

/// Each file as a new project would have it.
struct Trial {
    path: String,
    origin: String,
    content: String,
    original: String,
    unknown: Vec<Key>,
}

fn trial(package: &Package) -> Vec<Trial> {
    let mut manifest = package.manifest.clone();
    manifest.complete(&package.templates);
    let defaults = settled(&manifest, &[]);
    let mut set = vec![("name".to_owned(), TRIAL.to_owned())];
    if manifest.placeholders.iter().any(|it| it.subject == Subject::Entity) {
        set.push(("entity".to_owned(), TRIAL_ENTITY.to_owned()));
    }
    // One of several parts follows the name where it was called after it.
    let mut namespaces =
        manifest.placeholders.iter().filter(|it| it.subject == Subject::Namespace).peekable();
    if namespaces.peek().is_some() && namespaces.all(|it| it.casing != Casing::AsIs) {
        set.push(("namespace".to_owned(), TRIAL_NAMESPACE.to_owned()));
    }
    let trial = settled(&manifest, &set);
    let files = package.templates.files.iter().map(|file| {
        let (path, mut unknown) = fill(&file.path, &trial);
        let text = file.text().unwrap_or_default();
        let (content, more) = fill(text, &trial);
        unknown.extend(more);
        let (original, _) = fill(text, &defaults);
        Trial { path, origin: file.origin.clone(), content, original, unknown }
    });
    files.collect()
}

fn manifest(package: &Package) -> Check {
    let manifest = &package.manifest;
    let lacks = [
        (manifest.name.is_empty(), "It has no name."),
        (manifest.language.is_empty(), "It has no language."),
        (manifest.layers.is_empty(), "It has no layers."),
        (manifest.testing.is_none(), "It has no test framework."),
        (package.templates.placeholders.is_empty(), "No name of the project is replaced."),
    ];
    let looked = lacks.len();
    let faults =
        lacks.into_iter().filter(|(lacks, _)| *lacks).map(|(_, why)| why.to_owned()).collect();
    Check::of("manifest", 15, looked, faults, "The manifest is complete.".to_owned())
}

fn filled(package: &Package, trial: &[Trial]) -> Check {
    let mut faults = Vec::new();
    for file in trial {
        if let Some(key) = file.unknown.first() {
            faults.push(format!(
                "{} has {{{{{key}}}}}, which the manifest does not have.",
                file.origin
            ));
        } else if let Err(why) = safe(&file.path) {
            faults.push(why.to_string());
        }
    }
    if let Err(why) = apart(trial.iter().map(|file| file.path.as_str())) {
        faults.push(why.to_string());
    }
    let count = package.templates.placeholders.len();
    Check::of(
        "placeholders",
        25,
        trial.len(),
        faults,
        format!("All {count} were filled in, in every file."),
    )
}

fn parses(_: &Package, trial: &[Trial]) -> Check {
    let cancel = Cancel::new();
    let (mut looked, mut faults) = (0, Vec::new());
    for file in trial {
        let before = is_well_formed(&file.origin, file.original.as_bytes(), &cancel);
        // What the grammar could not read before says nothing of the placeholders.
        if before == Some(true) {
            looked += 1;
            if is_well_formed(&file.origin, file.content.as_bytes(), &cancel) == Some(false) {
                faults.push(format!("{} no longer parses under another name.", file.origin));
            }
        }
    }
    let parse = if looked == 1 { "parses" } else { "parse" };
    let fine = format!("{} {parse} under another name.", plain::count(looked, "file"));
    Check::of("syntax", 20, looked, faults, fine)
}

fn names(package: &Package, trial: &[Trial]) -> Check {
    let old: BTreeSet<String> = package
        .templates
        .placeholders
        .iter()
        .filter(|it| it.subject == Subject::Project && words(&it.default).len() > 1)
        .map(|it| it.default.clone())
        .collect();
    let mut faults = Vec::new();
    for file in trial {
        if let Some(old) = old.iter().find(|old| file.path.contains(old.as_str())) {
            faults.push(format!("The path {} still has {old}.", file.path));
        } else if let Some(old) = old.iter().find(|old| has_own(&file.content, old)) {
            faults.push(format!("{} still has {old}.", file.origin));
        }
    }
    Check::of(
        "names",
        15,
        trial.len(),
        faults,
        "No file has the project's name any more.".to_owned(),
    )
}

/// Whether a name is left that is not part of a foreign name.
fn has_own(text: &str, name: &str) -> bool {
    text.match_indices(name).any(|(at, _)| !is_foreign(Subject::Project, text, at, at + name.len()))
}

fn agents(package: &Package) -> Check {
    let faults = package.agents.iter().filter_map(|agent| {
        let rest = agent.content.strip_prefix("---\n")?.split_once("\n---");
        let head = rest.map(|(head, _)| head).unwrap_or_default();
        let has = |field: &str| head.lines().any(|line| line.starts_with(field));
        let lacking = ["name:", "description:"].into_iter().find(|field| !has(field))?;
        Some(format!("The front matter of {} has no `{lacking}`.", agent.name))
    });
    let bare = package.agents.iter().filter(|agent| !agent.content.starts_with("---\n"));
    let bare = bare.map(|agent| format!("{} has no front matter.", agent.name));
    let faults: Vec<String> = bare.chain(faults).collect();
    let count = package.agents.len();
    let fine = format!("{}, each with its front matter.", plain::count(count, "agent"));
    Check::of("agents", 10, count, faults, fine)
}

fn complete(package: &Package) -> Check {
    let completeness = &package.templates.completeness;
    let score = completeness.score.clamp(0.0, 1.0);
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "it is from 0 to 10"
    )]
    let points = (score * 10.0).floor() as u32;
    let mut why: Vec<String> =
        completeness.missing.iter().take(MOST).map(|it| it.what.clone()).collect();
    if why.is_empty() {
        why.push("Nothing that belongs together was separated.".to_owned());
    }
    Check { name: "completeness".to_owned(), points, out_of: 10, why }
}

/// How much of the project is in the package. A file that is named as left out is still left out.
fn whole(package: &Package) -> Check {
    let templates = &package.templates;
    let left = templates.left_out.iter().map(|it| format!("{}: {}.", it.path, it.why));
    let unnamed = std::iter::repeat_n(String::new(), templates.left_out_unnamed);
    let faults: Vec<String> = left.chain(unnamed).collect();
    let looked = templates.files.len() + faults.len();
    Check::of("left out", 5, looked, faults, "All files of the project are included.".to_owned())
}
