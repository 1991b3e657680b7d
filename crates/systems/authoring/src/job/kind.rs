//! The workflow of each type of job, by name.

use super::AgentType;

/// The workflow of a type of job. Each type has its own name, so that lists can be filtered by it.
#[must_use]
pub const fn workflow_name(kind: AgentType) -> &'static str {
    match kind {
        AgentType::Scribe => "authoring/scribe",
        AgentType::Trace => "authoring/trace",
        AgentType::Proto => "authoring/proto",
    }
}

/// The type of job that a workflow is for; `None` for workflows that are no jobs.
#[must_use]
pub fn kind_of(workflow: &str) -> Option<AgentType> {
    AgentType::ALL.iter().copied().find(|kind| workflow_name(*kind) == workflow)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_type_has_a_workflow_of_its_own() {
        for kind in AgentType::ALL {
            assert_eq!(kind_of(workflow_name(*kind)), Some(*kind));
        }
        assert_eq!(kind_of("sample/steps"), None);
    }
}
