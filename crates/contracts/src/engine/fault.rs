//! A typed failure.

use crate::{
    json::{Number, Object},
    wire::{Nullable, wire, words},
};

wire! {
    /// A failure with what is needed to act on it.
    pub open struct Fault = "engine/fault" {
        /// For programs.
        code: String [pattern: "^[A-Z][A-Z0-9_]*$"],
        /// The family of contracts that the code is from.
        dialect: Option<Nullable<String>>,
        /// What may be done about it.
        class: FaultClass,
        /// For people.
        message: String,
        /// Facts about the failure.
        details: Option<Nullable<Object<'static>>>,
        /// Whether the run can go on.
        recoverable: bool,
        /// Seconds to wait before another try.
        retry_after: Option<Nullable<Number<'static>>> [minimum: 0],
    }
}

words! {
    /// What may be done about a fault.
    pub enum FaultClass {
        /// Trying again may help.
        Transient = "transient",
        /// Trying again will not help.
        Permanent = "permanent",
        /// Nobody knows whether the effect happened.
        OutcomeUnknown = "outcome_unknown",
    }
}
