//! Reads a folder and makes an [`Analysis`] of it.

use std::{collections::BTreeSet, path::Path};

use consign_code::{Cancel, Error};

use super::{
    Analysis, Dependency, architecture, commands, confidence, conventions, frameworks, key_files,
    languages, layers, manifest::Manifest, names, ownership, project::Project, testing,
};
use crate::Source;

/// How many dependencies are listed.
const MOST_DEPENDENCIES: usize = 500;

/// Analyses a project by rules, without any agent. The same tree always gives the same analysis.
///
/// Nothing is written, run or followed out of the folder; files that are broken or huge are skipped
/// and are no error.
///
/// # Errors
/// [`Error::Root`] if the folder cannot be read, [`Error::Cancelled`].
pub fn analyse(project: &Path, cancel: &Cancel) -> Result<Analysis, Error> {
    let project = Project::read(project, cancel)?;
    let owned = ownership::owned(&project);
    let ranked = ownership::ranked(&project, &owned);
    let (shares, language) = languages::of(&project);
    // Pages are no source where there is a program.
    let lines = shares.iter().map(|share| share.lines).sum();
    let frameworks = frameworks::of(&project, &owned);
    let testing = testing::of(&project);
    let patterns = architecture::of(&project);
    let mut analysis = Analysis {
        primary_language: language.map_or_else(|| "unknown".to_owned(), |l| l.name().to_owned()),
        framework: frameworks.first().map(|framework| framework.name.clone()),
        patterns: patterns.iter().map(|pattern| pattern.name.clone()).collect(),
        confidence: 0.0,
        source: Source::Heuristic,
        languages: shares,
        architecture: patterns,
        layers: layers::of(&project),
        conventions: conventions::of(&project, language),
        key_files: key_files::of(&project),
        dependencies: dependencies(&ranked),
        commands: commands::of(&project, &ranked, &frameworks, &testing),
        names: names::of(&project, &ranked),
        observations: Vec::new(),
        files: project.listed.files.len(),
        lines,
        truncated: project.listed.truncated || cancel.is_late(),
        frameworks,
        testing,
    };
    analysis.confidence = confidence::of(&project, &analysis);
    Ok(analysis)
}

fn dependencies(ranked: &[(&Manifest, usize)]) -> Vec<Dependency> {
    let all = ranked.iter().flat_map(|(manifest, _)| {
        manifest.dependencies.iter().map(|one| Dependency {
            name: one.name.clone(),
            version: one.version.clone(),
            kind: one.used.name().to_owned(),
            manifest: manifest.path.clone(),
        })
    });
    // One that is named for two uses is told with the first.
    let mut seen = BTreeSet::new();
    let all = all.filter(|one| seen.insert((one.manifest.clone(), one.name.clone())));
    all.take(MOST_DEPENDENCIES).collect()
}
