//! The error envelope: every HTTP error has this shape.

use crate::{json::Json, wire::wire};

wire! {
    /// What every failed request answers.
    pub open struct ErrorEnvelope = "authoring/error" {
        /// What went wrong.
        error: ErrorBody,
        /// Names the request in logs.
        request_id as "requestId": String,
    }
}

wire! {
    /// What went wrong.
    pub open struct ErrorBody {
        /// For programs; docs/spec/authoring.md lists the document's own.
        code: String,
        /// For people.
        message: String,
        /// Facts about the failure.
        details: Option<Json<'static>>,
    }
}
