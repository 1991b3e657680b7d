//! The nine phases, and the steps in them.

use consign_contracts::bridge::{AgentName, PhaseName};
use serde::{Deserialize, Serialize};

/// The next piece of work. Each ends with a commit of the state file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Step {
    #[default]
    Analyse,
    /// An agent reviews what was found.
    ReviewAnalysis,
    Manifest,
    Settings,
    Templates,
    Recommend,
    /// An agent says which agents the template should have.
    ReviewAgents,
    Draft,
    /// An agent writes the body of the agent with this number.
    Enhance(usize),
    Document,
    Assemble,
    /// The template is there; only the files of the bridge are left to remove.
    Complete,
}

/// How many phases there are.
pub const PHASES: u8 = 9;

impl Step {
    #[must_use]
    pub const fn phase(self) -> u8 {
        match self {
            Self::Analyse | Self::ReviewAnalysis => 1,
            Self::Manifest => 2,
            Self::Settings => 3,
            Self::Templates => 4,
            Self::Recommend | Self::ReviewAgents => 5,
            Self::Draft => 6,
            Self::Enhance(_) => 7,
            Self::Document => 8,
            Self::Assemble | Self::Complete => 9,
        }
    }

    #[must_use]
    pub const fn phase_name(self) -> &'static str {
        phase_name(self.phase())
    }

    /// The agent that is asked in this step, and the name of the phase.
    #[must_use]
    pub const fn asks(self) -> Option<(PhaseName, AgentName)> {
        match self {
            Self::ReviewAnalysis => {
                Some((PhaseName::CodebaseAnalysis, AgentName::ArchitecturalReviewer))
            }
            Self::ReviewAgents => {
                Some((PhaseName::AgentCreation, AgentName::ArchitecturalReviewer))
            }
            Self::Enhance(_) => {
                Some((PhaseName::AgentEnhancement, AgentName::AgentContentEnhancer))
            }
            Self::Analyse
            | Self::Manifest
            | Self::Settings
            | Self::Templates
            | Self::Recommend
            | Self::Draft
            | Self::Document
            | Self::Assemble
            | Self::Complete => None,
        }
    }
}

/// The names of the phases, as the state file has them.
#[must_use]
pub const fn phase_name(phase: u8) -> &'static str {
    match phase {
        1 => "codebase_analysis",
        2 => "manifest_generation",
        3 => "settings_generation",
        4 => "template_generation",
        5 => "agent_recommendation",
        6 => "agent_generation",
        7 => "agent_enhancement",
        8 => "documentation",
        _ => "package_assembly",
    }
}
