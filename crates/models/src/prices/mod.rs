//! The prices of models: a dated table that is built in, and the user's changes to it.
//!
//! A price is found by the exact name of a model, or by the name less a date at its end. It is never
//! guessed from a name that is merely alike: what has no price is unmetered, and the run says so.

mod price;
mod read;

use std::{collections::BTreeMap, sync::LazyLock};

pub use price::{Price, Rates};
pub use read::BadPrices;

use crate::{ModelName, Provider};

/// Prices by `provider/model`.
#[derive(Clone, Debug, PartialEq)]
pub struct Prices(BTreeMap<String, Price>);

static BUILT_IN: LazyLock<Prices> = LazyLock::new(|| {
    Prices::read(include_str!("prices.toml")).expect("a test reads the table that is built in")
});

impl Prices {
    /// The table that comes with the program.
    #[must_use]
    pub fn built_in() -> &'static Self {
        &BUILT_IN
    }

    /// Reads a table that has the form of the built-in one.
    pub fn read(text: &str) -> Result<Self, BadPrices> {
        read::table(text).map(Self)
    }

    /// These prices, with those of `other` replacing or completing them.
    #[must_use]
    pub fn overridden_by(mut self, other: Self) -> Self {
        self.0.extend(other.0);
        self
    }

    /// The price of a model, if it is known.
    #[must_use]
    pub fn of(&self, name: &ModelName) -> Option<&Price> {
        let full = name.to_string();
        let known = self.0.get(&full).or_else(|| self.0.get(undated(&full)?));
        // It runs on the user's own machine.
        known.or_else(|| (name.provider == Provider::Ollama).then_some(&Price::FREE))
    }

    /// All names and prices, in order.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &Price)> {
        self.0.iter().map(|(name, price)| (name.as_str(), price))
    }
}

/// The name without `-2025-08-07`, `-20250929` or `-latest` at its end.
fn undated(name: &str) -> Option<&str> {
    if let Some(name) = name.strip_suffix("-latest") {
        return Some(name);
    }
    let digits = |text: &str, wanted: usize| {
        text.len() == wanted && text.bytes().all(|byte| byte.is_ascii_digit())
    };
    let is_day =
        |month: &str, day: &str| ("01"..="12").contains(&month) && ("01"..="31").contains(&day);
    let (rest, last) = name.rsplit_once('-')?;
    if digits(last, 8) && last.starts_with("20") {
        return is_day(&last[4..6], &last[6..]).then_some(rest);
    }
    let (rest, month) = rest.rsplit_once('-')?;
    let (rest, year) = rest.rsplit_once('-')?;
    let dated = digits(year, 4) && year.starts_with("20") && digits(month, 2) && digits(last, 2);
    (dated && is_day(month, last)).then_some(rest)
}

#[cfg(test)]
mod tests {
    use consign_engine::Nanos;

    use super::*;
    use crate::chat::Usage;

    fn of(name: &str) -> Option<Price> {
        Prices::built_in().of(&name.parse().unwrap()).cloned()
    }

    #[test]
    fn every_model_that_is_spoken_of_has_a_price() {
        for name in [
            "openai/gpt-5.2",
            "openai/gpt-5.1",
            "openai/gpt-5",
            "openai/gpt-5-mini",
            "openai/gpt-5-nano",
            "openai/gpt-4.1",
            "openai/gpt-4.1-mini",
            "openai/gpt-4.1-nano",
            "openai/gpt-4o",
            "openai/gpt-4o-mini",
            "openai/o3",
            "openai/o4-mini",
            "anthropic/claude-opus-4-5",
            "anthropic/claude-opus-4-1",
            "anthropic/claude-sonnet-4-5",
            "anthropic/claude-sonnet-4",
            "anthropic/claude-haiku-4-5",
            "anthropic/claude-3-5-haiku",
            "xai/grok-4",
            "xai/grok-4-fast",
            "xai/grok-4-fast-reasoning",
            "xai/grok-4-fast-non-reasoning",
            "xai/grok-code-fast-1",
            "xai/grok-3",
            "xai/grok-3-mini",
            "google/gemini-2.5-pro",
            "google/gemini-2.5-flash",
            "google/gemini-2.5-flash-lite",
            "google/gemini-2.0-flash",
        ] {
            let price = of(name).unwrap_or_else(|| panic!("{name}"));
            assert!(!price.worst(1000, 1000).is_zero(), "{name}");
        }
    }

    #[test]
    fn a_name_with_a_date_has_the_price_of_the_name_without_it() {
        let check = |name: &str, plain: Option<&str>| {
            assert_eq!(of(name), plain.map(|plain| of(plain).unwrap()), "{name}");
        };
        check("openai/gpt-5-mini-2025-08-07", Some("openai/gpt-5-mini"));
        check("anthropic/claude-sonnet-4-5-20250929", Some("anthropic/claude-sonnet-4-5"));
        check("anthropic/claude-sonnet-4-20250514", Some("anthropic/claude-sonnet-4"));
        check("anthropic/claude-3-5-haiku-latest", Some("anthropic/claude-3-5-haiku"));
        check("gpt-5-mini", Some("openai/gpt-5-mini"));
        for name in [
            "openai/gpt-5-mini-2",
            "openai/gpt-5-micro",
            "openai/gpt-5-mini-2025-13-07",
            "openai/gpt-5-mini-1999-08-07",
            "anthropic/claude-sonnet-4-5-20259999",
            "xai/gpt-5-mini",
            "compatible/gpt-5-mini",
            "openai/2025-08-07",
            "openai/x-20250807",
        ] {
            check(name, None);
        }
        assert_ne!(of("openai/gpt-5-mini"), of("openai/gpt-5"));
    }

    #[test]
    fn what_runs_at_home_is_free() {
        assert_eq!(of("ollama/qwen3:8b").unwrap().worst(1 << 40, 1 << 30), Nanos::ZERO);
    }

    #[test]
    fn users_write_over_the_table() {
        let theirs = Prices::read(
            "as_of = \"2030-01-01\"\n\
             [models.\"openai/gpt-5\"]\ninput = 2\noutput = \"3.5\"\n\
             [models.\"compatible/llama\"]\ninput = 0.000000001\noutput = 0\n\
             [models.\"ollama/big\"]\ninput = 1\noutput = 1\n",
        );
        let prices = Prices::built_in().clone().overridden_by(theirs.unwrap());
        let check = |name: &str, input_tokens, output_tokens, nanos| {
            let usage = Usage { input_tokens, output_tokens, ..Usage::default() };
            let price = prices.of(&name.parse().unwrap()).unwrap();
            assert_eq!(price.cost(&usage), Nanos::new(nanos), "{name}");
        };
        check("openai/gpt-5-2025-08-07", 1_000_000, 2_000_000, 9_000_000_000);
        check("compatible/llama", 1, 5, 1);
        check("ollama/big", 1, 1, 2000);
        check("openai/gpt-5-mini", 1_000_000, 0, 250_000_000);
        assert_eq!(prices.of(&"gpt-5".parse().unwrap()).unwrap().as_of(), "2030-01-01");
    }
}
