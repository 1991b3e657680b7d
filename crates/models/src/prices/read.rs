//! Reads a table of prices. Numbers are taken digit by digit as they are written, never as floats.

use std::{borrow::Cow, collections::BTreeMap};

use toml::{
    Spanned,
    de::{DeTable, DeValue},
};

use super::price::{Price, Rates};
use crate::ModelName;

/// Why a table cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {what}")]
pub struct BadPrices {
    pub line: usize,
    pub what: String,
}

struct PriceReader<'t>(&'t str);

type Entry<'t> = Spanned<DeValue<'t>>;

pub(super) fn table(text: &str) -> Result<BTreeMap<String, Price>, BadPrices> {
    let reader = PriceReader(text);
    let whole = DeTable::parse(text).map_err(|error| {
        let at = error.span().map_or(0, |span| span.start);
        reader.bad(at, error.message().to_owned())
    })?;
    let whole = whole.into_inner();
    reader.known(&whole, "", &["as_of", "models"])?;
    let day = whole.get("as_of").ok_or_else(|| reader.bad(0, "as_of is missing".to_owned()))?;
    let as_of = day.get_ref().as_str().filter(|day| is_day(day)).ok_or_else(|| {
        reader.bad(day.span().start, "as_of must be a day, such as \"2026-01-31\"".to_owned())
    })?;
    let mut prices = BTreeMap::new();
    if let Some(models) = whole.get("models") {
        let models = reader.fields(models, "models")?;
        for (name, entry) in models {
            let at = name.span().start;
            let name = name.get_ref().as_ref();
            let parsed: ModelName = name.parse().map_err(|why| reader.bad(at, why))?;
            if parsed.to_string() != name {
                return Err(reader.bad(at, format!("{name}: write it as {parsed}")));
            }
            prices.insert(name.to_owned(), reader.price(name, entry, as_of)?);
        }
    }
    Ok(prices)
}

impl PriceReader<'_> {
    fn price(&self, name: &str, entry: &Entry<'_>, as_of: &str) -> Result<Price, BadPrices> {
        let fields = self.fields(entry, name)?;
        self.known(fields, name, &["input", "cached_input", "cache_write", "output", "over"])?;
        let rates = self.rates(name, entry, fields)?;
        let over = match fields.get("over") {
            None => None,
            Some(entry) => {
                let name = format!("{name}.over");
                let fields = self.fields(entry, &name)?;
                let known = ["tokens", "input", "cached_input", "cache_write", "output"];
                self.known(fields, &name, &known)?;
                let tokens = fields.get("tokens").and_then(|tokens| {
                    tokens
                        .get_ref()
                        .as_integer()
                        .filter(|number| number.radix() == 10)?
                        .as_str()
                        .parse()
                        .ok()
                });
                let tokens = tokens.ok_or_else(|| {
                    self.bad(entry.span().start, format!("{name}.tokens must be a whole number"))
                })?;
                Some((tokens, self.rates(&name, entry, fields)?))
            }
        };
        Ok(Price { as_of: Cow::Owned(as_of.to_owned()), rates, over })
    }

    fn rates(
        &self,
        name: &str,
        entry: &Entry<'_>,
        fields: &DeTable<'_>,
    ) -> Result<Rates, BadPrices> {
        let rate = |key: &str| fields.get(key).map(|value| self.rate(name, key, value)).transpose();
        let wanted = |key: &str| {
            rate(key)?
                .ok_or_else(|| self.bad(entry.span().start, format!("{name}.{key} is missing")))
        };
        let input = wanted("input")?;
        Ok(Rates {
            input,
            cached_input: rate("cached_input")?.unwrap_or(input),
            cache_write: rate("cache_write")?.unwrap_or(input),
            output: wanted("output")?,
        })
    }

    /// Dollars per million tokens, with at most nine digits behind the point.
    fn rate(&self, name: &str, key: &str, value: &Entry<'_>) -> Result<u64, BadPrices> {
        let value_at = value.span().start;
        let text = match value.get_ref() {
            DeValue::String(text) => Some(text.as_ref()),
            DeValue::Integer(number) if number.radix() == 10 => Some(number.as_str()),
            DeValue::Float(number) => Some(number.as_str()),
            DeValue::Integer(_)
            | DeValue::Boolean(_)
            | DeValue::Datetime(_)
            | DeValue::Array(_)
            | DeValue::Table(_) => None,
        };
        text.and_then(nanos).ok_or_else(|| {
            let what = "must be dollars per million tokens, such as 1.25, with at most 9 decimals";
            self.bad(value_at, format!("{name}.{key} {what}"))
        })
    }

    fn fields<'t>(&self, entry: &'t Entry<'t>, name: &str) -> Result<&'t DeTable<'t>, BadPrices> {
        let what = || self.bad(entry.span().start, format!("{name} must be a table"));
        entry.get_ref().as_table().ok_or_else(what)
    }

    fn known(&self, fields: &DeTable<'_>, name: &str, known: &[&str]) -> Result<(), BadPrices> {
        let unknown = fields.keys().find(|key| !known.contains(&key.get_ref().as_ref()));
        let Some(key) = unknown else { return Ok(()) };
        let dot = if name.is_empty() { "" } else { "." };
        let what =
            format!("there is no {name}{dot}{}; there are {}", key.get_ref(), known.join(", "));
        Err(self.bad(key.span().start, what))
    }

    fn bad(&self, at: usize, what: String) -> BadPrices {
        let before = &self.0.as_bytes()[..at.min(self.0.len())];
        let line = 1 + before.iter().filter(|byte| **byte == b'\n').count();
        BadPrices { line, what }
    }
}

fn nanos(text: &str) -> Option<u64> {
    let (whole, part) = text.split_once('.').unwrap_or((text, ""));
    let is_number = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    let fits = !whole.is_empty() && whole.len() <= 9 && part.len() <= 9;
    if !fits || !is_number(whole) || !is_number(part) || text.ends_with('.') {
        return None;
    }
    format!("{whole}{part:0<9}").parse().ok()
}

fn is_day(text: &str) -> bool {
    let shape: String =
        text.chars().map(|letter| if letter.is_ascii_digit() { '0' } else { letter }).collect();
    shape == "0000-00-00"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prices_are_read_digit_for_digit() {
        let check = |text: &str, expected: Option<u64>| assert_eq!(nanos(text), expected, "{text}");
        check("0", Some(0));
        check("1.25", Some(1_250_000_000));
        check("0.000000001", Some(1));
        check("999999999.999999999", Some(999_999_999_999_999_999));
        for text in
            ["", "-1", "+1", ".5", "1.", "1e3", "1_000", "0.0000000001", "inf", "9999999999"]
        {
            check(text, None);
        }
    }

    #[test]
    fn a_bad_table_says_where_and_what() {
        let check = |text: &str, line: usize, what: &str| {
            let bad = table(text).unwrap_err();
            assert!(bad.line == line && bad.what.contains(what), "{text}\n{bad}");
        };
        let day = "as_of = \"2026-01-31\"\n";
        check("", 1, "as_of is missing");
        check("as_of = 7", 1, "as_of must be a day");
        check("as_of = [", 1, "");
        check(&format!("{day}model = 1"), 2, "there is no model; there are as_of, models");
        check(&format!("{day}[models]\nx = 1"), 3, "names no provider");
        check(&format!("{day}[models]\n\"openai/x\" = 1"), 3, "openai/x must be a table");
        check(&format!("{day}[models.\"openai/x y\"]"), 2, "not the name of a model");
        check(&format!("{day}[models.\"openai/x\"]\ninput = 1"), 2, "openai/x.output is missing");
        let model = format!("{day}[models.\"openai/x\"]\noutput = 1\n");
        check(&format!("{model}input = \"much\""), 4, "openai/x.input must be dollars");
        check(&format!("{model}input = 1e3"), 4, "openai/x.input must be dollars");
        check(&format!("{model}input = -1"), 4, "openai/x.input must be dollars");
        check(&format!("{model}input = 1\ninputs = 2"), 5, "there is no openai/x.inputs");
        check(&format!("{model}input = 1\n[models.\"openai/x\".over]\ninput = 1"), 5, "tokens");
    }
}
