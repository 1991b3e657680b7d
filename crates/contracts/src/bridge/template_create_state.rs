//! `.template-create-state.json`: where template creation stands.

use crate::{
    json::Object,
    wire::{Integer, Timestamp, wire},
};

wire! {
    /// A checkpoint of template creation, complete enough to go on from on another machine.
    pub closed struct TemplateCreateState = "bridge/template-create-state" {
        /// Version of the file format.
        version: String [pattern: r"^\d+\.\d+$"],
        /// The phase that is under way.
        phase: Integer [minimum: 1, maximum: 9],
        /// That phase's name.
        phase_name: String,
        /// The place inside the phase.
        checkpoint_name: String,
        /// When the checkpoint was written.
        created_at: Timestamp,
        /// The folder that the template is written to.
        output_path: String,
        /// The project that is read.
        project_path: Option<String>,
        /// The template's name.
        template_name: Option<String>,
        /// What the phases so far have found, by phase.
        phase_data: Option<Object<'static>> [additionalProperties: true],
        /// The phases that are done.
        completed_phases: Option<Vec<CompletedPhase>>,
        /// The requests made so far.
        agent_requests: Option<Vec<RequestRecord>>,
    }
}

wire! {
    /// A phase that is done.
    pub open struct CompletedPhase {
        /// The phase's number.
        phase: Option<Integer>,
        /// The phase's name.
        phase_name: Option<String>,
        /// When it was done.
        completed_at: Option<Timestamp>,
        /// Its result in a sentence.
        result_summary: Option<String>,
    }
}

wire! {
    /// A request that was made.
    pub open struct RequestRecord {
        /// The request's id.
        request_id: Option<String>,
        /// Who was asked.
        agent_name: Option<String>,
        /// The phase that asked.
        phase: Option<Integer>,
        /// What became of it.
        status: Option<String>,
    }
}
