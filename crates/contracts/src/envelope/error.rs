//! One entry of an envelope's `errors`.

use crate::{
    json::Object,
    wire::{Nullable, Timestamp, wire},
};

wire! {
    /// Something that went wrong on the way.
    pub open struct EnvelopeError = "envelope/error" {
        /// The agent that failed.
        agent: String,
        /// What kind of failure it was.
        error_type: String,
        /// What happened, in words.
        message: String,
        /// When it happened.
        timestamp: Timestamp,
        /// Whether going on makes sense.
        recoverable: bool,
        /// Facts about the failure.
        details: Option<Nullable<Object<'static>>>,
    }
}
