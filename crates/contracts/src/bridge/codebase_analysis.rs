//! What `architectural-reviewer` says of a project: the JSON in the `response` of phase 1.

use serde_json::{Value, json};

use crate::{
    json::Number,
    wire::{Integer, Nullable, wire},
};

wire! {
    /// An agent's reading of a project. Only the stack's main language must be there; what is left
    /// out stays as it was found without an agent.
    pub open struct CodebaseAnalysis = "bridge/response.codebase_analysis" {
        /// Languages, framework and tests.
        technology_stack: TechnologyStack,
        /// How the project is divided.
        architecture: Option<Nullable<ArchitectureFindings>>,
        /// How the project writes things.
        conventions: Option<Nullable<ConventionFindings>>,
        /// Files that a newcomer should read.
        key_files: Option<Nullable<Vec<KeyFileFinding>>> [maxItems: 100],
        /// What its records are about, singular and as types write it.
        entities: Option<Nullable<Vec<String>>> [maxItems: 100, items: name()],
        /// What else is worth knowing, a sentence each.
        observations: Option<Nullable<Vec<String>>> [maxItems: 50, items: sentence()],
        /// How sure the agent is of all of it.
        overall_confidence: Option<Number<'static>> [minimum: 0, maximum: 1],
    }
}

wire! {
    /// What the project is written in and with.
    pub open struct TechnologyStack {
        /// The language that most of it is written in.
        primary_language: String [minLength: 1, maxLength: 64],
        /// The framework that shapes it.
        framework: Option<Nullable<String>> [maxLength: 100],
        /// As the manifest has it.
        framework_version: Option<Nullable<String>> [maxLength: 64],
        /// All languages of its source.
        languages: Option<Nullable<Vec<String>>> [maxItems: 50, items: name()],
        /// What its tests run with.
        test_framework: Option<Nullable<String>> [maxLength: 100],
        /// How sure the agent is of the stack.
        confidence: Option<Number<'static>> [minimum: 0, maximum: 1],
    }
}

wire! {
    /// Patterns and layers.
    pub open struct ArchitectureFindings {
        /// Patterns, the strongest first.
        patterns: Option<Nullable<Vec<PatternFinding>>> [maxItems: 50],
        /// Layers, from the outside inwards.
        layers: Option<Nullable<Vec<LayerFinding>>> [maxItems: 50],
        /// The whole in a few words.
        style: Option<Nullable<String>> [maxLength: 200],
        /// How sure the agent is of the architecture.
        confidence: Option<Number<'static>> [minimum: 0, maximum: 1],
    }
}

wire! {
    /// A pattern and where it shows.
    pub open struct PatternFinding {
        /// Its usual name.
        name: String [minLength: 1, maxLength: 100],
        /// How sure the agent is of it.
        confidence: Option<Number<'static>> [minimum: 0, maximum: 1],
        /// The places that show it.
        evidence: Option<Nullable<Vec<EvidenceFinding>>> [maxItems: 50],
    }
}

wire! {
    /// A place in the project.
    pub open struct EvidenceFinding {
        /// Relative to the project, with `/`.
        path: String [minLength: 1, maxLength: 500],
        /// Counted from 1.
        line: Option<Nullable<Integer>> [minimum: 1],
        /// What is seen there.
        what: Option<Nullable<String>> [maxLength: 500],
    }
}

wire! {
    /// Folders that do one kind of work.
    pub open struct LayerFinding {
        /// What the work is.
        name: String [minLength: 1, maxLength: 100],
        /// Relative to the project, with `/`.
        folders: Option<Nullable<Vec<String>>> [maxItems: 50, items: sentence()],
    }
}

wire! {
    /// How the project writes things.
    pub open struct ConventionFindings {
        /// How names are written, by what they name.
        naming: Option<Nullable<Vec<NamingFinding>>> [maxItems: 50],
        /// How failures travel.
        error_handling: Option<Nullable<String>> [maxLength: 500],
    }
}

wire! {
    /// How one kind of name is written.
    pub open struct NamingFinding {
        /// What is named, such as `files`, `types` or `functions`.
        of: String [minLength: 1, maxLength: 64],
        /// Such as `snake_case`, `camelCase`, `PascalCase` or `kebab-case`.
        value: String [minLength: 1, maxLength: 64],
    }
}

wire! {
    /// A file that a newcomer should read.
    pub open struct KeyFileFinding {
        /// Relative to the project, with `/`.
        path: String [minLength: 1, maxLength: 500],
        /// What it is for, such as `entry point` or `routes`.
        role: Option<Nullable<String>> [maxLength: 100],
    }
}

// The members are in the order of their names, so that every build publishes the same bytes.
fn name() -> Value {
    json!({"maxLength": 100, "type": "string"})
}

fn sentence() -> Value {
    json!({"maxLength": 500, "type": "string"})
}
