//! The limits of a run in the body of a request.

use consign_app::runs::LimitNumbers;
use consign_contracts::{
    json::Number,
    wire::{Integer, wire},
};
use consign_engine::Limits;

use crate::error::{Part, Problem};

wire! {
    /// What a run may use.
    pub closed struct LimitsBody {
        /// What it may cost.
        cost_usd: Option<Number<'static>> [minimum: 0],
        /// How long it may work; waiting is free.
        minutes: Option<Number<'static>> [exclusiveMinimum: 0],
        /// How many calls it may make, repeated ones included.
        calls: Option<Integer> [minimum: 0],
    }
}

impl LimitsBody {
    /// The limits that are set; what is left out stays open. `at` is where they stand in the body. The schema has been
    /// checked: what is left to refuse is a number that is too large to be a limit.
    pub(in crate::routes) fn read(&self, at: &str) -> Result<Limits, Problem> {
        let LimitsBody { cost_usd, minutes, calls } = self;
        let (cost_usd, minutes, calls) = (cost_usd.as_ref(), minutes.as_ref(), calls.as_ref());
        LimitNumbers { cost_usd, minutes, calls }.read().map_err(|large| {
            let pointer = format!("{at}/{}", large.0);
            Problem::invalid(Part::Body, pointer, "maximum", large.to_string())
        })
    }
}
