//! Applies an answer that recommends agents, without those that already exist.

use std::collections::BTreeSet;

use consign_contracts::bridge::AgentCreation;

use super::analysis::{given, texts};
use crate::{
    Source,
    agents::MOST_AGENTS,
    package::{AgentSpec, ExistingAgents},
    plain,
};

/// The priority of an agent whose answer gives none.
const PRIORITY: u8 = 5;

/// The recommended agents, the most important first, and what was dropped with the reason.
#[must_use]
pub fn apply_agents(
    existing: &ExistingAgents,
    answer: &AgentCreation,
) -> (Vec<AgentSpec>, Vec<String>) {
    let mut dropped = Vec::new();
    let mut seen = BTreeSet::new();
    let mut specs = Vec::new();
    for proposal in &answer.agents {
        let name = plain::slug(&proposal.name);
        if let Some(whose) = existing.whose(&name) {
            dropped.push(format!("{name}: this agent already exists ({whose})"));
        } else if !seen.insert(name.clone()) {
            dropped.push(format!("{name}: it is recommended twice"));
        } else {
            let priority = given(proposal.priority.as_ref()).and_then(|number| number.as_i64());
            let priority = priority.and_then(|number| u8::try_from(number).ok());
            specs.push(AgentSpec {
                name,
                description: plain::line(&proposal.description, 1000),
                reason: given(proposal.reason.as_ref())
                    .map(|reason| plain::line(reason, 1000))
                    .unwrap_or_default(),
                technologies: texts(proposal.technologies.as_ref(), 100),
                priority: priority.unwrap_or(PRIORITY).clamp(1, 10),
                source: Source::Agent,
            });
        }
    }
    specs.sort_by(|a, b| b.priority.cmp(&a.priority).then_with(|| a.name.cmp(&b.name)));
    let beyond = specs.split_off(specs.len().min(MOST_AGENTS));
    dropped.extend(
        beyond.iter().map(|spec| format!("{}: the limit is {MOST_AGENTS} agents", spec.name)),
    );
    (specs, dropped)
}

#[cfg(test)]
mod tests {
    use consign_contracts::wire::Message;
    use serde_json::json;

    use super::*;

    fn apply(agents: serde_json::Value) -> (Vec<AgentSpec>, Vec<String>) {
        let text = json!({"agents": agents}).to_string();
        let existing = ExistingAgents {
            user_custom: vec!["My Helper".to_owned()],
            global: vec!["code-reviewer".to_owned()],
            ..ExistingAgents::default()
        };
        apply_agents(&existing, &AgentCreation::from_json(text.as_bytes()).unwrap())
    }

    #[test]
    fn agents_that_exist_or_repeat_are_dropped_with_the_reason() {
        let (specs, dropped) = apply(json!([
            {"name": "code-reviewer", "description": "x"},
            {"name": "go-tester", "description": "x", "priority": 3},
            {"name": "my-helper", "description": "x"},
            {"name": "go-tester", "description": "y"},
            {"name": "api-writer", "description": "\u{1b}[1mbold\nlines", "priority": null,
             "technologies": ["Go", "", "\u{7}"], "reason": null},
        ]));
        let names: Vec<_> = specs.iter().map(|spec| spec.name.as_str()).collect();
        assert_eq!(names, ["api-writer", "go-tester"]);
        assert_eq!(specs[0].description, "[1mbold lines");
        assert_eq!((specs[0].priority, specs[1].priority), (5, 3));
        assert_eq!(specs[0].technologies, ["Go"]);
        assert!(specs.iter().all(|spec| spec.source == Source::Agent));
        assert_eq!(
            dropped,
            [
                "code-reviewer: this agent already exists (global)",
                "my-helper: this agent already exists (user_custom)",
                "go-tester: it is recommended twice",
            ]
        );
    }

    #[test]
    fn no_more_are_kept_than_are_useful_and_the_most_wanted_stay() {
        let many: Vec<_> = (0..30)
            .map(|at| json!({"name": format!("a{at:02}"), "description": "x", "priority": 1 + at % 10}))
            .collect();
        let (specs, dropped) = apply(json!(many));
        assert_eq!((specs.len(), dropped.len()), (MOST_AGENTS, 30 - MOST_AGENTS));
        assert!(specs.iter().all(|spec| spec.priority >= 7));
        assert_eq!(apply(json!([])), (Vec::new(), Vec::new()));
    }
}
