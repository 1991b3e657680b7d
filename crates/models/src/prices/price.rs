//! The price of a model, in whole numbers.
//!
//! A dollar per million tokens is 1000 nano-dollars per token, and prices have parts of that. So a
//! rate is kept in nano-dollars per million tokens, sums are made of those, and a sum is divided and
//! rounded up once.

use std::{borrow::Cow, cmp::max};

use consign_engine::Nanos;

use crate::chat::Usage;

const MILLION: u128 = 1_000_000;

/// Rates in nano-dollars per million tokens.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Rates {
    pub input: u64,
    /// The rate for input that was read from a cache.
    pub cached_input: u64,
    /// The rate for input that was written to a cache.
    pub cache_write: u64,
    pub output: u64,
}

/// The price of a model.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Price {
    pub(super) as_of: Cow<'static, str>,
    pub(super) rates: Rates,
    /// The rates of a call whose whole input has more tokens than this, for all of its tokens.
    pub(super) over: Option<(u64, Rates)>,
}

impl Price {
    pub const FREE: Self = Self {
        as_of: Cow::Borrowed(""),
        rates: Rates { input: 0, cached_input: 0, cache_write: 0, output: 0 },
        over: None,
    };

    /// The day on which the price was last checked.
    #[must_use]
    pub fn as_of(&self) -> &str {
        &self.as_of
    }

    #[must_use]
    pub fn rates(&self) -> &Rates {
        &self.rates
    }

    /// The threshold of input tokens and the rates above it, if there are such.
    #[must_use]
    pub fn over(&self) -> Option<&(u64, Rates)> {
        self.over.as_ref()
    }

    /// What a call cost.
    #[must_use]
    pub fn cost(&self, usage: &Usage) -> Nanos {
        let rates = match &self.over {
            Some((tokens, rates)) if usage.input_tokens > *tokens => rates,
            Some(_) | None => &self.rates,
        };
        // A provider may say anything. No token is paid twice, and none is free for it.
        let cached = usage.cached_tokens.min(usage.input_tokens);
        let written = usage.cache_write_tokens.min(usage.input_tokens - cached);
        let plain = usage.input_tokens - cached - written;
        sum(&[
            (plain, rates.input),
            (cached, rates.cached_input),
            (written, rates.cache_write),
            (usage.output_tokens, rates.output),
        ])
    }

    /// The most that a call can cost with at most these tokens.
    #[must_use]
    pub fn worst(&self, input_tokens: u64, max_output_tokens: u64) -> Nanos {
        let worst = |rates: &Rates| {
            let input = max(rates.input, max(rates.cached_input, rates.cache_write));
            sum(&[(input_tokens, input), (max_output_tokens, rates.output)])
        };
        // With less input than that the other rates are out of reach.
        let over = self.over.as_ref().filter(|(tokens, _)| input_tokens > *tokens);
        max(worst(&self.rates), over.map_or(Nanos::ZERO, |(_, rates)| worst(rates)))
    }
}

/// The sum of the products, as money. It cannot overflow: four products of 64 bits each.
fn sum(parts: &[(u64, u64)]) -> Nanos {
    let sum: u128 = parts
        .iter()
        .map(|(tokens, rate)| u128::from(*tokens) * u128::from(*rate))
        .fold(0, u128::saturating_add);
    Nanos::new(u64::try_from(sum.div_ceil(MILLION)).unwrap_or(u64::MAX))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const DOLLAR: u64 = 1_000_000_000;

    fn tiered() -> Price {
        let rates = Rates {
            input: 5 * DOLLAR / 4,
            cached_input: DOLLAR / 8,
            cache_write: 2 * DOLLAR,
            output: 10 * DOLLAR,
        };
        let high = Rates {
            input: 5 * DOLLAR / 2,
            cached_input: DOLLAR / 4,
            cache_write: 4 * DOLLAR,
            output: 15 * DOLLAR,
        };
        Price { as_of: "".into(), rates, over: Some((200_000, high)) }
    }

    fn usage(input: u64, cached: u64, written: u64, output: u64) -> Usage {
        Usage {
            input_tokens: input,
            cached_tokens: cached,
            cache_write_tokens: written,
            output_tokens: output,
            reasoning_tokens: 0,
        }
    }

    #[test]
    fn a_call_costs_what_the_table_says_to_the_nano_dollar() {
        let check = |usage: Usage, nanos: u64| {
            assert_eq!(tiered().cost(&usage), Nanos::new(nanos), "{usage:?}");
        };
        check(usage(0, 0, 0, 0), 0);
        check(usage(1000, 0, 0, 100), 1_250_000 + 1_000_000);
        check(usage(1000, 600, 100, 0), 300 * 1250 + 600 * 125 + 100 * 2000);
        check(usage(200_000, 0, 0, 1), 250_000_000 + 10_000);
        check(usage(200_001, 0, 0, 1), 500_002_500 + 15_000);
        // More from the cache than there was.
        check(usage(10, 100, 100, 0), 10 * 125);
        check(usage(u64::MAX, 0, 0, u64::MAX), u64::MAX);
        let tiny = Price { rates: Rates { output: 1, ..Rates::default() }, over: None, ..tiered() };
        assert_eq!(tiny.cost(&usage(0, 0, 0, 1)), Nanos::new(1));
        assert_eq!(tiny.cost(&usage(0, 0, 0, 1_000_001)), Nanos::new(2));
    }

    #[test]
    fn the_worst_counts_every_token_at_its_dearest() {
        assert_eq!(tiered().worst(1000, 100), Nanos::new(2_000_000 + 1_000_000));
        assert_eq!(tiered().worst(200_001, 1), Nanos::new(800_004_000 + 15_000));
    }

    proptest! {
        #[test]
        fn no_call_costs_more_than_the_worst(
            input in 0u64..1_000_000, cached in 0u64..1_000_000, written in 0u64..1_000_000,
            output in 0u64..100_000, more in 0u64..100_000,
        ) {
            let cost = tiered().cost(&usage(input, cached, written, output));
            prop_assert!(cost <= tiered().worst(input + more, output + more));
        }
    }
}
