//! The prompt of phase 5: which agents would help?

use super::{facts, fill::fill};
use crate::{
    analysis::Analysis,
    package::{AgentSpec, ExistingAgents},
    plain,
};

const MOST_NAMES: usize = 200;

/// The prompt for `architectural-reviewer` to recommend agents.
#[must_use]
pub fn agent_creation(
    analysis: &Analysis,
    existing: &ExistingAgents,
    recommended: &[AgentSpec],
) -> String {
    let values = [
        ("facts", facts::of(analysis)),
        ("existing", names(existing)),
        ("recommended", specs(recommended)),
    ];
    let values: Vec<(&str, &str)> = values.iter().map(|(name, text)| (*name, &**text)).collect();
    fill(include_str!("agent_creation.md"), &values)
}

fn names(existing: &ExistingAgents) -> String {
    let sets = [
        ("The user's own", &existing.user_custom),
        ("The project's template", &existing.template),
        ("With Consign", &existing.global),
    ];
    let told = sets.iter().filter(|(_, names)| !names.is_empty()).map(|(whose, names)| {
        let plain: Vec<_> =
            names.iter().take(MOST_NAMES).map(|name| plain::line(name, 64)).collect();
        format!("- {whose}: {}\n", plain.join(", "))
    });
    let told: String = told.collect();
    if told.is_empty() { "None.\n".to_owned() } else { told }
}

fn specs(recommended: &[AgentSpec]) -> String {
    let told = recommended.iter().take(MOST_NAMES).map(|spec| {
        let (name, reason) = (plain::line(&spec.name, 64), plain::line(&spec.reason, 300));
        let description = plain::line(&spec.description, 300);
        format!("- `{name}` (priority {}): {description} {reason}\n", spec.priority)
    });
    let told: String = told.collect();
    if told.is_empty() { "None.\n".to_owned() } else { told }
}
