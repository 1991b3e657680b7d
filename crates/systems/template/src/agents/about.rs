//! Tells which findings of the analysis an agent is about.

use std::collections::BTreeSet;

use crate::{
    analysis::{Analysis, Evidence, Layer},
    package::{AgentSpec, TemplateFile},
    plain,
};

/// The words by which an agent's subject is known, as slugs.
pub(crate) struct About(BTreeSet<String>);

impl About {
    pub(crate) fn of(spec: &AgentSpec) -> Self {
        let words = spec.technologies.iter().map(|technology| plain::slug(technology));
        Self(words.filter(|word| !word.is_empty()).collect())
    }

    pub(super) fn covers(&self, name: &str) -> bool {
        self.0.contains(&plain::slug(name))
    }

    pub(super) fn is_about_tests(&self) -> bool {
        self.covers("testing")
    }

    /// The places in the project that show the agent's subject, each path once.
    pub(super) fn evidence<'a>(&self, analysis: &'a Analysis) -> Vec<&'a Evidence> {
        let frameworks = analysis.frameworks.iter().map(|found| (&found.name, &found.evidence));
        let patterns = analysis.architecture.iter().map(|found| (&found.name, &found.evidence));
        let testing = analysis.testing.iter().map(|found| (&found.framework, &found.evidence));
        let all = frameworks.chain(patterns).chain(testing);
        let mut seen = BTreeSet::new();
        all.filter(|(name, _)| self.covers(name))
            .flat_map(|(_, evidence)| evidence)
            .filter(|evidence| seen.insert(&evidence.path))
            .collect()
    }

    pub(super) fn layers<'a>(&self, analysis: &'a Analysis) -> Vec<&'a Layer> {
        analysis.layers.iter().filter(|layer| self.covers(&layer.name)).collect()
    }

    /// How much a file of the template has to do with it: 0 is nothing.
    pub(crate) fn weight(&self, file: &TemplateFile, analysis: &Analysis) -> usize {
        let shown = self.evidence(analysis).iter().any(|evidence| evidence.path == file.origin);
        let layer = self.covers(&file.layer);
        let folders = self.layers(analysis).into_iter().flat_map(|layer| &layer.folders);
        let mut folders = folders.map(|folder| format!("{folder}/"));
        let inside = folders.any(|folder| file.origin.starts_with(&folder));
        let is_test = consign_code::Class::of(&file.origin) == consign_code::Class::Test;
        let tests = self.is_about_tests() && is_test;
        // Every agent is about the language; a folder of its name says nothing.
        let tells = |part: &&str| part.len() > 2 && consign_code::Language::named(part).is_none();
        let mut parts = file.origin.split(['/', '.', '_', '-']).filter(tells);
        let named = parts.any(|part| self.covers(part));
        8 * usize::from(shown)
            + 4 * usize::from(tests)
            + 4 * usize::from(layer || inside)
            + 2 * usize::from(named)
    }
}
