//! One line of an envelope's `processing_history`.

use crate::{
    json::{Json, Number},
    wire::{Integer, Nullable, Timestamp, wire},
};

wire! {
    /// What one stage did and when.
    pub open struct ProcessingRecord = "envelope/processing-record" {
        /// The agent that ran.
        agent: String,
        /// Its place in the pipeline.
        stage_order: Integer [minimum: 0],
        /// When it began.
        started_at: Timestamp,
        /// When it ended.
        completed_at: Option<Nullable<Timestamp>>,
        /// How long it took.
        duration_ms: Option<Nullable<Number<'static>>> [minimum: 0],
        /// How it ended.
        status: String,
        /// What went wrong, if anything.
        error: Option<Json<'static>>,
        /// Model calls that it made.
        llm_calls: Option<Integer> [minimum: 0],
    }
}
