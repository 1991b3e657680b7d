//! Merges an agent's analysis of a project into the findings of the rules.
//!
//! What the agent says leads; what it leaves out stays. What was measured, such as counts of lines, is
//! never replaced by a statement. A path, a language or a framework that is not in the project is
//! dropped and reported. An answer of which less than half is true is about another project.

mod known;
mod merge;

use std::path::Path;

use consign_contracts::{
    bridge::{CodebaseAnalysis, ConventionFindings},
    json::Number,
    wire::Nullable,
};

use self::{
    known::Known,
    merge::{Merge, first, same},
};
use super::place::AnswerPath;
use crate::{
    Source,
    analysis::{Analysis, Count, KeyFile},
    plain,
};

const MOST_KEY_FILES: usize = 100;
const MOST_ENTITIES: usize = 100;
/// How many reasons a refusal lists.
const MOST_REASONS: usize = 5;

/// A project as an agent reads it.
#[derive(Clone, Debug, PartialEq)]
pub struct Reading {
    pub analysis: Analysis,
    /// The parts of the answer that were dropped, and why.
    pub dropped: Vec<String>,
}

/// Puts an answer over what was found without it. `sure` is how sure the answer is in all.
///
/// # Errors
/// Why none of the answer counts: most of what it says of the project is not so.
pub fn apply_analysis(
    project: &Path,
    heuristic: &Analysis,
    answer: &CodebaseAnalysis,
    sure: f64,
) -> Result<Reading, String> {
    let known = Known::of(project, heuristic)
        .map_err(|error| format!("the project cannot be read to check the answer: {error}"))?;
    let mut merge = Merge { project, known, sure, stated: 0, refused: 0, dropped: Vec::new() };
    let mut analysis = Analysis { confidence: sure, source: Source::Agent, ..heuristic.clone() };
    merge.stack(&mut analysis, &answer.technology_stack);
    if let Some(architecture) = given(answer.architecture.as_ref()) {
        let sure = number(architecture.confidence.as_ref()).unwrap_or(sure);
        let patterns = list(architecture.patterns.as_ref());
        analysis.architecture = merge.patterns(&heuristic.architecture, patterns, sure);
        let layers = list(architecture.layers.as_ref());
        analysis.layers = merge.layers(&heuristic.layers, layers);
        let style = given(architecture.style.as_ref()).map(|style| plain::line(style, 200));
        let style = style.filter(|style| !style.is_empty());
        analysis.observations.extend(style.map(|style| format!("Architecture: {style}.")));
    }
    analysis.patterns = analysis.architecture.iter().map(|found| found.name.clone()).collect();
    if let Some(conventions) = given(answer.conventions.as_ref()) {
        apply_conventions(&mut analysis, conventions);
    }
    let files = list(answer.key_files.as_ref()).iter().filter_map(|file| {
        let path = merge.place(&file.path, Some(AnswerPath::File), "a key file");
        merge.state(path.is_some());
        let path = path?;
        let role = given(file.role.as_ref()).map(|role| plain::line(role, 100));
        let role = role.filter(|role| !role.is_empty());
        let known = || heuristic.key_files.iter().find(|known| known.path == path);
        let role = role.or_else(|| known().map(|known| known.role.clone()));
        Some(KeyFile { path, role: role.unwrap_or_else(|| "key file".to_owned()) })
    });
    let files: Vec<_> = files.collect();
    analysis.key_files = first(files, &heuristic.key_files, |a, b| a.path == b.path);
    analysis.key_files.truncate(MOST_KEY_FILES);
    let entities = merge.entities(&texts(answer.entities.as_ref(), 100));
    analysis.names.entities = first(entities, &heuristic.names.entities, |a, b| a == b);
    analysis.names.entities.truncate(MOST_ENTITIES);
    analysis.observations.extend(texts(answer.observations.as_ref(), 500));
    if merge.refused * 2 > merge.stated {
        let (refused, stated) = (merge.refused, merge.stated);
        let told = merge.dropped.iter().take(MOST_REASONS).cloned().collect::<Vec<_>>().join("; ");
        return Err(format!(
            "{refused} of {stated} statements are not true of this project: {told}"
        ));
    }
    Ok(Reading { analysis, dropped: merge.dropped })
}

fn apply_conventions(analysis: &mut Analysis, conventions: &ConventionFindings) {
    let before = &analysis.conventions.naming;
    let naming = list(conventions.naming.as_ref()).iter().filter_map(|finding| {
        let (of, value) = (plain::line(&finding.of, 64), plain::line(&finding.value, 64));
        let known = |count: &&Count| same(&count.of, &of) && same(&count.value, &value);
        let count = before.iter().find(known).map_or(0, |known| known.count);
        (!of.is_empty() && !value.is_empty()).then_some(Count { of, value, count })
    });
    let naming: Vec<_> = naming.collect();
    analysis.conventions.naming = first(naming, before, |a, b| same(&a.of, &b.of));
    let errors = given(conventions.error_handling.as_ref()).map(|text| plain::line(text, 500));
    if let Some(value) = errors.filter(|value| !value.is_empty()) {
        let said = vec![Count { of: "errors".to_owned(), value, count: 0 }];
        let found = &analysis.conventions.error_handling;
        // A count is worth more than the same word without one.
        if !found.iter().any(|count| same(&count.value, &said[0].value)) {
            analysis.conventions.error_handling = first(said, found, |_, _| false);
        }
    }
}

/// What an optional member holds.
pub(super) fn given<T>(member: Option<&Nullable<T>>) -> Option<&T> {
    member.and_then(|value| value.0.as_ref())
}

pub(super) fn list<T>(member: Option<&Nullable<Vec<T>>>) -> &[T] {
    given(member).map(Vec::as_slice).unwrap_or_default()
}

/// Texts as plain lines, without those that have nothing to show.
pub(super) fn texts(member: Option<&Nullable<Vec<String>>>, most: usize) -> Vec<String> {
    let lines = list(member).iter().map(|text| plain::line(text, most));
    lines.filter(|line| !line.is_empty()).collect()
}

pub(super) fn number(member: Option<&Number<'static>>) -> Option<f64> {
    member.map(Number::as_f64)
}

#[cfg(test)]
mod tests;
