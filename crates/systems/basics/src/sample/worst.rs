//! The worst case of calls whose number and price are known in advance.

use consign_engine::{Bound, Nanos, Retry};

/// Every try of every call, each at its full price.
pub(super) fn worst(calls: u32, each: Nanos, retry: &Retry) -> Bound {
    let tries = u64::from(calls) * u64::from(retry.tries);
    Bound { cost: Some(each.times(tries)), calls: Some(tries) }
}
