//! A run, as lists and tables show it.

use crate::{
    json::Number,
    wire::{Integer, Nullable, wire, words},
};

wire! {
    /// A run and how it stands.
    pub open struct Run = "engine/run" {
        /// The run's id.
        id: String [minLength: 1],
        /// The workflow's name.
        workflow: String [minLength: 1],
        /// Where the run stands.
        status: RunStatus,
        /// The newest event.
        seq: Integer [minimum: 0],
        /// That event's hash.
        head: String [pattern: "^[a-f0-9]{64}$"],
        /// What the run has spent, holds back and may spend.
        usage: Usage,
        /// Where the run stands, in a word of its workflow; `null` where that has none.
        label: Option<Nullable<String>>,
        /// Its command stopped or died in the middle of it: it waits for a command, or for an answer.
        interrupted: Option<bool>,
        /// What it said and heard is erased; left out unless it is.
        redacted: Option<bool>,
        /// The runs that it was forked from, the nearest first; left out where there are none.
        parents: Option<Vec<Ancestor>>,
    }
}

wire! {
    /// A run that another one was forked from.
    pub open struct Ancestor {
        /// The run's id.
        run: String [minLength: 1],
        /// The event after which the fork begins.
        seq: Integer [minimum: 0],
        /// What it spent; left out where it is no longer here.
        spent_usd: Option<Number<'static>> [minimum: 0],
    }
}

words! {
    /// Where a run can stand.
    pub enum RunStatus {
        Queued = "queued",
        Running = "running",
        Waiting = "waiting",
        Succeeded = "succeeded",
        Failed = "failed",
        Cancelled = "cancelled",
    }
}

wire! {
    /// What a run has spent, holds back and may spend, in US dollars.
    pub open struct Usage {
        /// Settled.
        spent_usd: Number<'static> [minimum: 0],
        /// Held back for calls that are under way.
        reserved_usd: Number<'static> [minimum: 0],
        /// The most it may spend; `null` is no bound.
        cap_usd: Nullable<Number<'static>> [minimum: 0],
    }
}
