//! The sections of a plan: the rules' own, those of a model, and those that a revision keeps.

use consign_contracts::json::Json;
use consign_engine::Data;

use super::{agents::Section, revise};
use crate::job::{JobInput, JobPlan};

/// The plan with a model's outlines.
pub(super) fn merged_plan(answer: &Data, by_rules: &[Section], targets: &[String]) -> Vec<Section> {
    const MOST: usize = 40;
    let tree = answer.shown();
    let told = tree.get("sections").and_then(Json::as_array).unwrap_or_default();
    let mut sections: Vec<Section> = Vec::new();
    for target in targets {
        let rules: Vec<&Section> =
            by_rules.iter().filter(|section| section.path == *target).collect();
        let begun = sections.len();
        for section in told {
            let text = |name: &str| section.get(name).and_then(Json::as_str);
            let (Some(path), Some(outline)) = (text("path"), text("outline")) else { continue };
            if path != target || sections.len() - begun >= MOST {
                continue;
            }
            let outline: Vec<&str> = outline.split_whitespace().collect();
            let outline: String = outline.join(" ").chars().take(300).collect();
            let name = revise::heading(&outline);
            if name.is_empty() {
                continue;
            }
            let same = |rule: &&&Section| revise::heading(&rule.outline).eq_ignore_ascii_case(name);
            let sources = rules.iter().find(same).map(|rule| rule.sources.clone());
            let sources = sources.unwrap_or_default();
            sections.push(Section { path: target.clone(), outline, sources });
        }
        let named = |rule: &Section, sections: &[Section]| {
            let name = revise::heading(&rule.outline);
            sections.iter().any(|it| revise::heading(&it.outline).eq_ignore_ascii_case(name))
        };
        for rule in rules {
            if !named(rule, &sections[begun..]) {
                sections.push(rule.clone());
            }
        }
    }
    sections
}

/// Whether a revision keeps the plan of its parent.
pub(super) fn keeps_plan(input: &JobInput) -> bool {
    input.revision.as_ref().is_some_and(|revision| {
        revision.scope == "files" && !sections_of(&revision.parent_plan).is_empty()
    })
}

pub(super) fn sections_of(plan: &JobPlan) -> Vec<Section> {
    plan.sections.as_ref().and_then(|sections| sections.to().ok()).unwrap_or_default()
}
