//! Merges each kind of statement of an answer into the findings.

use std::path::Path;

use consign_code::{Node, Repository};
use consign_contracts::bridge::{LayerFinding, PatternFinding, TechnologyStack};

use super::{given, known::Known, list, number};
use crate::{
    analysis::{Analysis, Evidence, Framework, Layer, Pattern, Testing},
    answers::place::{self, AnswerPath},
    plain,
};

const MOST_DROPPED: usize = 100;

pub(super) struct Merge<'a> {
    pub(super) project: &'a Path,
    pub(super) known: Known,
    pub(super) sure: f64,
    /// How many statements can be checked against the project, and how many of them are wrong.
    pub(super) stated: usize,
    pub(super) refused: usize,
    pub(super) dropped: Vec<String>,
}

impl Merge<'_> {
    pub(super) fn stack(&mut self, analysis: &mut Analysis, stack: &TechnologyStack) {
        let said = plain::line(&stack.primary_language, 64);
        match self.known.language(&said) {
            Some(language) => {
                self.state(true);
                analysis.primary_language = language;
            }
            None => {
                self.state(false);
                self.drop(format!("it says {said}, but the project has no file in that language"));
            }
        }
        let sure = number(stack.confidence.as_ref()).unwrap_or(self.sure);
        let text = |member, most| {
            given::<String>(member).map(|text| plain::line(text, most)).filter(|t| !is_none(t))
        };
        let version = text(stack.framework_version.as_ref(), 64);
        let framework = text(stack.framework.as_ref(), 100);
        if let Some(name) = framework.filter(|name| self.knows("framework", name)) {
            let known = take(&mut analysis.frameworks, |found| same(&found.name, &name));
            let mut leading = known.unwrap_or(Framework {
                name,
                version: None,
                confidence: sure,
                evidence: Vec::new(),
            });
            // The manifest is right about its own version.
            leading.version = leading.version.or(version);
            leading.confidence = leading.confidence.max(sure);
            analysis.framework = Some(leading.name.clone());
            analysis.frameworks.insert(0, leading);
        }
        let tests = text(stack.test_framework.as_ref(), 100);
        if let Some(framework) = tests.filter(|name| self.knows("test framework", name)) {
            let known = take(&mut analysis.testing, |found| same(&found.framework, &framework));
            let leading = known.unwrap_or(Testing { framework, ..Testing::default() });
            analysis.testing.insert(0, leading);
        }
    }

    pub(super) fn patterns(
        &mut self,
        before: &[Pattern],
        findings: &[PatternFinding],
        sure: f64,
    ) -> Vec<Pattern> {
        let mut found: Vec<Pattern> = Vec::new();
        for finding in findings {
            let name = plain::line(&finding.name, 100);
            if name.is_empty() || found.iter().any(|pattern| same(&pattern.name, &name)) {
                continue;
            }
            let named = list(finding.evidence.as_ref());
            let mut evidence: Vec<Evidence> = Vec::new();
            for place in named {
                let Some(path) = self.place(&place.path, None, &name) else { continue };
                let line = given(place.line.as_ref()).and_then(|line| line.as_i64());
                evidence.push(Evidence {
                    path,
                    line: line.and_then(|line| usize::try_from(line).ok()),
                    what: given(place.what.as_ref())
                        .map(|what| plain::line(what, 500))
                        .unwrap_or_default(),
                });
            }
            let known = before.iter().find(|pattern| same(&pattern.name, &name));
            let shown = known.is_some() || !evidence.is_empty() || named.is_empty();
            // Without evidence there is nothing to look for.
            if known.is_some() || !named.is_empty() {
                self.state(shown);
            }
            if !shown {
                self.drop(format!("the pattern {name}: none of its evidence is in the project"));
                continue;
            }
            let evidence = first(
                evidence,
                known.map(|known| known.evidence.as_slice()).unwrap_or_default(),
                |a, b| a.path == b.path,
            );
            let confidence = number(finding.confidence.as_ref()).unwrap_or(sure);
            found.push(Pattern { name, confidence, evidence });
        }
        first(found, before, |a, b| same(&a.name, &b.name))
    }

    pub(super) fn layers(&mut self, before: &[Layer], findings: &[LayerFinding]) -> Vec<Layer> {
        let mut found: Vec<Layer> = Vec::new();
        for finding in findings {
            let name = plain::line(&finding.name, 100);
            if name.is_empty() || found.iter().any(|layer| same(&layer.name, &name)) {
                continue;
            }
            let folders = list(finding.folders.as_ref()).iter();
            let folders: Vec<String> = folders
                .filter_map(|folder| self.place(folder, Some(AnswerPath::Folder), &name))
                .collect();
            let known = before.iter().find(|layer| same(&layer.name, &name));
            self.state(known.is_some() || !folders.is_empty());
            if let Some(known) = known {
                let folders = first(folders, &known.folders, |a, b| a == b);
                found.push(Layer { folders, ..known.clone() });
            } else if folders.is_empty() {
                self.drop(format!("the layer {name}: none of its folders is in the project"));
            } else {
                let files = self.count(&folders);
                found.push(Layer { name, folders, files, tests: 0 });
            }
        }
        first(found, before, |a, b| same(&a.name, &b.name))
    }

    /// Names that a type could have. Others would be looked for all over the template's files.
    pub(super) fn entities(&mut self, named: &[String]) -> Vec<String> {
        let is_type = |name: &&String| {
            name.len() > 2
                && name.starts_with(|letter: char| letter.is_ascii_uppercase())
                && name.chars().all(|letter| letter.is_ascii_alphanumeric())
        };
        let (fit, unfit): (Vec<_>, Vec<_>) = named.iter().partition(is_type);
        for name in unfit {
            self.drop(format!("the entity {name}: no type is named like this"));
        }
        let mut entities: Vec<String> = Vec::new();
        for name in fit {
            if !entities.contains(name) {
                entities.push(name.clone());
            }
        }
        entities
    }

    /// The path, if it is in the project and of the kind that is wanted.
    pub(super) fn place(
        &mut self,
        named: &str,
        kind: Option<AnswerPath>,
        of: &str,
    ) -> Option<String> {
        let found = place::find(self.project, named).filter(|(_, found)| {
            // `None` is either.
            kind.is_none_or(|kind| kind == *found)
        });
        if found.is_none() {
            self.drop(format!("{of}: {} is not in the project", plain::line(named, 200)));
        }
        found.map(|(path, _)| path)
    }

    fn count(&self, folders: &[String]) -> usize {
        let Ok(repository) = Repository::open(self.project) else { return 0 };
        let files = folders.iter().filter_map(|folder| repository.list_tree(folder, 1, 1000).ok());
        let count = |node: &Node| match node {
            Node::Directory { files, .. } => *files,
            Node::File { .. } => 1,
        };
        files.map(|tree| tree.nodes.iter().map(count).sum::<usize>()).sum()
    }

    /// Whether a framework occurs in the project. If not, that is reported.
    fn knows(&mut self, kind: &str, name: &str) -> bool {
        let holds = self.known.knows(name);
        self.state(holds);
        if !holds {
            let no = "no dependency, import or file of the project shows it";
            self.drop(format!("the {kind} {name}: {no}"));
        }
        holds
    }

    /// Counts something that the project could be asked about.
    pub(super) fn state(&mut self, holds: bool) {
        self.stated += 1;
        self.refused += usize::from(!holds);
    }

    fn drop(&mut self, why: String) {
        if self.dropped.len() < MOST_DROPPED {
            self.dropped.push(why);
        }
    }
}

/// Whether a text means "none", from a writer that leaves no field empty.
fn is_none(text: &str) -> bool {
    let nothing = ["", "none", "n/a", "na", "null", "unknown", "-"];
    nothing.iter().any(|word| text.eq_ignore_ascii_case(word))
}

pub(super) fn same(one: &str, other: &str) -> bool {
    plain::slug(one) == plain::slug(other) && one.is_empty() == other.is_empty()
}

/// What is new, then what was there before and is not among it.
pub(super) fn first<T: Clone>(new: Vec<T>, before: &[T], alike: impl Fn(&T, &T) -> bool) -> Vec<T> {
    let rest = before.iter().filter(|old| !new.iter().any(|one| alike(one, old))).cloned();
    let rest: Vec<T> = rest.collect();
    new.into_iter().chain(rest).collect()
}

fn take<T>(items: &mut Vec<T>, wanted: impl Fn(&T) -> bool) -> Option<T> {
    items.iter().position(wanted).map(|at| items.remove(at))
}
