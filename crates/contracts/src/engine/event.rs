//! One entry of a run's journal.

use crate::{
    json::Json,
    wire::{Integer, Nullable, Timestamp, wire},
};

wire! {
    /// Something that happened in a run, chained to what happened before it. `hash` covers `seq`,
    /// `at`, `actor`, `kind`, `prev` and a salted commitment of `body`, so that a body can be erased
    /// with its salt and the chain still holds.
    pub open struct Event = "engine/event" {
        /// Counts from 0 in its run.
        seq: Integer [minimum: 0],
        /// When; never before the event before it.
        at: Timestamp,
        /// Who caused it: a worker (`worker:ID`), or the surface and the name there of the speaker (`cli:anna@host`,
        /// `http:TOKEN`, `mcp:CLIENT`, `file`). Never a credential.
        actor: String [minLength: 1],
        /// What kind of event it is.
        kind: String [pattern: "^[a-z][a-z0-9_.]*$"],
        /// What happened; `null` once it is redacted.
        body: Json<'static>,
        /// What the body's commitment is salted with; `null` once it is redacted.
        salt: Nullable<String> [pattern: "^[a-f0-9]{32,64}$"],
        /// The hash of the event before it; `null` for the first.
        prev: Nullable<String> [pattern: "^[a-f0-9]{64}$"],
        /// This event's own hash.
        hash: String [pattern: "^[a-f0-9]{64}$"],
    }
}
