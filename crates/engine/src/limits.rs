//! The limits of a run, its usage, and the bound on what it can come to.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::Nanos;

/// Hard bounds. `None` is no bound.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Limits {
    /// Money, spent and reserved together.
    pub cost: Option<Nanos>,
    /// Attempts begun.
    pub calls: Option<u64>,
    /// Time with something under way; waiting is free. In microseconds.
    #[serde(with = "micros")]
    pub active: Option<Duration>,
}

impl Limits {
    /// The limits of a run that sets none: enough for usual work, and an end to a runaway.
    #[must_use]
    pub fn standard() -> Self {
        Self {
            cost: Some(Nanos::new(10_000_000_000)),
            calls: Some(100_000),
            active: Some(Duration::from_secs(24 * 3600)),
        }
    }

    /// These limits, with those that `raise` sets in their place.
    #[must_use]
    pub fn raised(&self, raise: &Self) -> Self {
        Self {
            cost: raise.cost.or(self.cost),
            calls: raise.calls.or(self.calls),
            active: raise.active.or(self.active),
        }
    }
}

/// What a run has used.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Usage {
    pub spent: Nanos,
    /// Held back for attempts under way.
    pub reserved: Nanos,
    pub calls: u64,
    /// The calls among them without a known price beforehand.
    #[serde(default)]
    pub unmetered: u64,
    #[serde(with = "micros")]
    pub active: Option<Duration>,
}

/// The most that a workflow can come to by its structure. `None` is no bound.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Bound {
    pub cost: Option<Nanos>,
    pub calls: Option<u64>,
}

/// What a run can cost at most, told before it starts.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Certificate {
    pub cost: Option<Nanos>,
    pub calls: Option<u64>,
    pub bounded_by: BoundedBy,
    /// Some of its calls cannot be priced beforehand: the cost is only what stops it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub unmetered: bool,
}

/// What ends a run in the worst case.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum BoundedBy {
    /// It comes to its own end within the cap.
    Structure,
    /// It may be stopped by its cap.
    Cap,
}

impl Certificate {
    #[must_use]
    pub fn new(bound: &Bound, limits: &Limits) -> Self {
        let within = |bound: Option<u64>, cap: Option<u64>| match (bound, cap) {
            (Some(bound), Some(cap)) => bound <= cap,
            (Some(_), None) => true,
            (None, _) => false,
        };
        let structure = within(bound.cost.map(Nanos::get), limits.cost.map(Nanos::get))
            && within(bound.calls, limits.calls);
        let least = |bound: Option<u64>, cap: Option<u64>| match (bound, cap) {
            (Some(bound), Some(cap)) => Some(bound.min(cap)),
            (bound, cap) => bound.or(cap),
        };
        Self {
            cost: least(bound.cost.map(Nanos::get), limits.cost.map(Nanos::get)).map(Nanos::new),
            calls: least(bound.calls, limits.calls),
            bounded_by: if structure { BoundedBy::Structure } else { BoundedBy::Cap },
            unmetered: bound.cost.is_none(),
        }
    }
}

mod micros {
    use std::time::Duration;

    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    #[expect(clippy::ref_option, reason = "serde calls it so")]
    pub(super) fn serialize<S: Serializer>(
        span: &Option<Duration>,
        to: S,
    ) -> Result<S::Ok, S::Error> {
        span.map(|span| u64::try_from(span.as_micros()).unwrap_or(u64::MAX)).serialize(to)
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(
        from: D,
    ) -> Result<Option<Duration>, D::Error> {
        Ok(Option::<u64>::deserialize(from)?.map(Duration::from_micros))
    }
}
