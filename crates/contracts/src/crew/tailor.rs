//! Tailor: from chunks to an answer that cites them.

use super::RetrievedContext;
use crate::{
    json::Number,
    wire::{Nullable, wire, words},
};

wire! {
    /// A question and what was found for it.
    pub open struct TailorInput = "crew/tailor.input" {
        /// The question.
        user_query: String,
        /// What was found.
        context_chunks: Vec<RetrievedContext>,
        /// Who the answer is for.
        persona: Option<Persona> [default: "General"],
        /// How the answer should look.
        formatting_instructions: Option<Nullable<String>>,
    }
}

words! {
    /// Who an answer is for.
    pub enum Persona {
        Technical = "Technical",
        Executive = "Executive",
        General = "General",
    }
}

wire! {
    /// The answer.
    pub open struct TailorOutput = "crew/tailor.output" {
        /// The answer's text.
        content: String,
        /// Where each claim comes from.
        citations: Vec<SourceCitation>,
        /// The tone that it is written in.
        tone_used: String,
        /// What could be asked next.
        follow_up_suggestions: Vec<String>,
        /// How sure the agent is.
        confidence_score: Number<'static> [minimum: 0, maximum: 1],
    }
}

wire! {
    /// A claim's source.
    pub open struct SourceCitation {
        /// The document.
        source_id: String,
        /// The chunk.
        chunk_id: String,
        /// The words that are cited.
        text_snippet: String,
        /// Where the document is.
        url: Nullable<String>,
    }
}
