//! Guardrails: what may come in and what may go out.

use crate::{
    json::Object,
    wire::{Nullable, wire, words},
};

wire! {
    /// Text to check.
    pub open struct GuardrailsInput = "crew/guardrails.input" {
        /// The text.
        content: String,
        /// Which way it is going.
        check_type: CheckType,
        /// Anything else worth knowing.
        metadata: Option<Nullable<Object<'static>>>,
    }
}

words! {
    /// Which way a text is going.
    pub enum CheckType {
        InputValidation = "input_validation",
        OutputSafety = "output_safety",
    }
}

wire! {
    /// The verdict on a text.
    pub open struct GuardrailsOutput = "crew/guardrails.output" {
        /// Whether it may pass, in the form given here.
        is_safe: bool,
        /// The text with what is private taken out.
        sanitized_content: String,
        /// What was found.
        risk_category: Nullable<RiskCategory>,
        /// Why.
        reasoning: String,
    }
}

words! {
    /// What can be wrong with a text.
    pub enum RiskCategory {
        Injection = "injection",
        Pii = "pii",
        HateSpeech = "hate_speech",
        MaliciousCode = "malicious_code",
        None = "none",
    }
}
