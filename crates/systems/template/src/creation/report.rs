//! The final report: which parts were made by agents, which by rules, and why.

use serde::{Deserialize, Serialize};

use super::{Creation, phase_name};
use crate::{Source, assemble::Validation};

/// How one request ended.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Note {
    pub phase: u8,
    /// The agent that was to be enhanced, where there are several in a phase.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub subject: Option<String>,
    pub source: Source,
    /// Why there was a fallback, or what there is to warn of.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub why: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub confidence: Option<f64>,
}

/// The end of a creation.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Report {
    pub template: String,
    pub output: String,
    pub run: String,
    pub language: String,
    pub framework: Option<String>,
    pub confidence: f64,
    pub phases: Vec<PhaseReport>,
    /// Each part that no agent made, and why.
    pub fallbacks: Vec<Fallback>,
    pub warnings: Vec<String>,
    pub missing: Vec<String>,
    /// What of the project did not come along: `path: why`.
    pub left_out: Vec<String>,
    pub requests: usize,
    /// Relative to the output.
    pub files: Vec<String>,
    /// The scored report, where one was wanted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub validation: Option<Validation>,
}

#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct PhaseReport {
    pub phase: u8,
    pub phase_name: &'static str,
    pub summary: String,
}

#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Fallback {
    pub phase: u8,
    pub phase_name: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub subject: Option<String>,
    pub source: Source,
    pub why: String,
}

impl Creation {
    /// The report of this creation.
    #[must_use]
    pub fn report(&self) -> Report {
        let analysis = self.analysis();
        let phases = self.completed.iter().map(|done| PhaseReport {
            phase: done.phase,
            phase_name: phase_name(done.phase),
            summary: done.summary.clone(),
        });
        let fallbacks = self.notes.iter().filter(|note| note.source == Source::Heuristic);
        let fallbacks = fallbacks.map(|note| Fallback {
            phase: note.phase,
            phase_name: phase_name(note.phase),
            subject: note.subject.clone(),
            source: note.source,
            why: note.why.clone().unwrap_or_default(),
        });
        let warned = self.notes.iter().filter(|note| note.source == Source::Agent);
        let warnings = warned.filter_map(|note| {
            let of = note.subject.as_deref().unwrap_or(phase_name(note.phase));
            note.why.as_ref().map(|why| format!("{of}: {why}"))
        });
        let templates = self.templates();
        let named = self.order.options.project_name.as_deref();
        // Before there are files nobody can say what is replaced in them.
        let unnamed = self.found.templates.as_ref().and_then(|it| it.replaces_nothing(named));
        let warnings = warnings.chain(unnamed);
        let (missing, unnamed) = (templates.completeness.missing, templates.left_out_unnamed);
        let left_out = templates.left_out.iter().map(|it| format!("{}: {}", it.path, it.why));
        let unnamed = (unnamed > 0).then(|| format!("and {unnamed} more"));
        Report {
            template: self.order.name.clone(),
            output: self.order.output.clone(),
            run: self.run.clone(),
            language: analysis.primary_language.clone(),
            framework: analysis.framework.clone(),
            confidence: analysis.confidence,
            phases: phases.collect(),
            fallbacks: fallbacks.collect(),
            warnings: warnings.collect(),
            missing: missing.into_iter().map(|missing| missing.what).collect(),
            left_out: left_out.chain(unnamed).collect(),
            requests: self.requests.len(),
            files: self.found.files.clone(),
            validation: self.found.validation.clone(),
        }
    }

    /// How many parts were done without an agent.
    #[must_use]
    pub fn fallbacks(&self) -> usize {
        self.notes.iter().filter(|note| note.source == Source::Heuristic).count()
    }
}
