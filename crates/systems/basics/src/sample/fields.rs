//! The input of a sample, field by field.
//!
//! [`Fields::read`] hands out the fields of an object and gathers what is wrong with them, so that
//! one refusal names everything. A field that is wrong reads as its default until then.

use std::time::Duration;

use consign_contracts::json::{Json, Number};
use consign_engine::{Data, Fault, Nanos};
use serde::Serialize;

/// The longest sleep of a sample agent, below the timeout of its call.
const MOST_SLEEP_MS: u32 = 300_000;

/// The largest amount, so that no sum of them exceeds [`Nanos`].
const MOST_USD: u64 = 1_000;

const MOST_SECONDS: u32 = 30 * 24 * 3600;

pub(super) struct Fields<'a> {
    input: Json<'a>,
    known: Vec<&'static str>,
    breaches: Vec<Breach>,
}

#[derive(Serialize)]
struct Breach {
    pointer: String,
    message: String,
}

impl<'a> Fields<'a> {
    /// The value that `reader` makes of the fields. An error if a field is wrong or unknown.
    pub(super) fn read<T>(
        input: &'a Data,
        reader: impl FnOnce(&mut Self) -> T,
    ) -> Result<T, Fault> {
        let mut fields = Self { input: input.tree()?, known: Vec::new(), breaches: Vec::new() };
        let value = reader(&mut fields);
        fields.refuse_others();
        if fields.breaches.is_empty() { Ok(value) } else { Err(fields.fault()) }
    }

    /// A whole number from 0 to `most`.
    pub(super) fn count(&mut self, name: &'static str, default: u32, most: u32) -> u32 {
        self.number(name, &format!("a whole number from 0 to {most}"), |number| {
            number.as_u64().and_then(|count| u32::try_from(count).ok()).filter(|n| *n <= most)
        })
        .unwrap_or(default)
    }

    pub(super) fn sleep_ms(&mut self) -> u32 {
        self.count("sleep_ms", 0, MOST_SLEEP_MS)
    }

    pub(super) fn usd(&mut self, name: &'static str, default: Nanos) -> Nanos {
        let most = Nanos::new(1_000_000_000).times(MOST_USD);
        self.number(name, &format!("an amount from 0 to {MOST_USD}"), |number| {
            Nanos::from_usd(number.as_str()).filter(|amount| *amount <= most)
        })
        .unwrap_or(default)
    }

    pub(super) fn seconds(&mut self, name: &'static str) -> Option<Duration> {
        self.number(name, &format!("above 0 and at most {MOST_SECONDS}"), |number| {
            Duration::try_from_secs_f64(number.as_f64())
                .ok()
                .filter(|span| !span.is_zero() && *span <= Duration::from_secs(MOST_SECONDS.into()))
        })
    }

    pub(super) fn flag(&mut self, name: &'static str) -> Option<bool> {
        self.value(name, "boolean", Json::as_bool)
    }

    pub(super) fn text(&mut self, name: &'static str) -> Option<String> {
        self.value(name, "string", |json| json.as_str().map(str::to_owned))
    }

    /// Refuses a field because of another one.
    pub(super) fn refuse(&mut self, name: &'static str, message: impl Into<String>) {
        self.breaches.push(Breach { pointer: format!("/{name}"), message: message.into() });
    }

    fn number<T>(
        &mut self,
        name: &'static str,
        wanted: &str,
        read: impl FnOnce(&Number<'_>) -> Option<T>,
    ) -> Option<T> {
        let number = self.value(name, "number", |json| json.as_number().cloned())?;
        let value = read(&number);
        if value.is_none() {
            self.refuse(name, format!("{} is not {wanted}", cut(number.as_str())));
        }
        value
    }

    fn value<T>(
        &mut self,
        name: &'static str,
        kind: &str,
        read: impl FnOnce(&Json<'a>) -> Option<T>,
    ) -> Option<T> {
        self.known.push(name);
        let found = self.input.get(name)?;
        let (value, found) = (read(found), found.kind());
        if value.is_none() {
            self.refuse(name, format!("expected {kind}, found {found}"));
        }
        value
    }

    fn refuse_others(&mut self) {
        let known = self.known.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>();
        let message = match &self.input {
            // Nothing at all was given.
            Json::Null => return,
            Json::Object(object) => {
                let mut others = object.keys().filter(|name| !self.known.contains(name));
                let Some(other) = others.next() else { return };
                format!("unknown field `{}`; the known fields are {}", cut(other), known.join(", "))
            }
            other @ (Json::Bool(_) | Json::Number(_) | Json::String(_) | Json::Array(_)) => {
                format!("expected object, found {}", other.kind())
            }
        };
        self.breaches.push(Breach { pointer: String::new(), message });
    }

    fn fault(&self) -> Fault {
        let told = self.breaches.iter().map(|breach| match breach.pointer.as_str() {
            "" => format!("the input: {}", breach.message),
            pointer => format!("{pointer}: {}", breach.message),
        });
        #[derive(Serialize)]
        struct Details<'a> {
            breaches: &'a [Breach],
        }
        Fault::permanent("INVALID_INPUT", told.collect::<Vec<_>>().join("; "))
            .with_details(Data::of(&Details { breaches: &self.breaches }))
    }
}

/// The user's text, short enough to be shown and without control characters.
fn cut(text: &str) -> String {
    let more = if text.chars().nth(40).is_some() { "…" } else { "" };
    text.chars().take(40).flat_map(char::escape_debug).chain(more.chars()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(input: &str) -> Result<(u32, Nanos, Option<Duration>, Option<bool>), String> {
        let input = Data::parse(input).unwrap();
        Fields::read(&input, |fields| {
            (
                fields.count("count", 7, 100),
                fields.usd("cost_usd", Nanos::ZERO),
                fields.seconds("wait"),
                fields.flag("sure"),
            )
        })
        .map_err(|fault| fault.message)
    }

    #[test]
    fn what_is_missing_has_its_default() {
        let nothing = Ok((7, Nanos::ZERO, None, None));
        assert_eq!(read("{}"), nothing);
        assert_eq!(read("null"), nothing);
    }

    #[test]
    fn numbers_are_read_by_value_and_money_by_its_digits() {
        let given = r#"{"count": 3.0, "cost_usd": 0.123456789, "wait": 0.5, "sure": true}"#;
        let cost = Nanos::new(123_456_789);
        assert_eq!(read(given), Ok((3, cost, Some(Duration::from_millis(500)), Some(true))));
        // An `f64` would lose the last digit, and with it a nano.
        let given = r#"{"cost_usd": 900.00000000100000001}"#;
        assert_eq!(read(given).unwrap().1, Nanos::new(900_000_000_002));
    }

    #[test]
    fn a_refusal_names_the_field_and_what_is_wrong() {
        let check = |input: &str, message: &str| assert_eq!(read(input).unwrap_err(), message);
        check(r#"{"count": 101}"#, "/count: 101 is not a whole number from 0 to 100");
        check(r#"{"count": -1}"#, "/count: -1 is not a whole number from 0 to 100");
        check(r#"{"count": 1.5}"#, "/count: 1.5 is not a whole number from 0 to 100");
        check(r#"{"count": "3"}"#, "/count: expected number, found string");
        check(r#"{"cost_usd": -0.5}"#, "/cost_usd: -0.5 is not an amount from 0 to 1000");
        check(r#"{"cost_usd": 1000.1}"#, "/cost_usd: 1000.1 is not an amount from 0 to 1000");
        check(r#"{"wait": 0}"#, "/wait: 0 is not above 0 and at most 2592000");
        check(r#"{"wait": -3}"#, "/wait: -3 is not above 0 and at most 2592000");
        check(r#"{"sure": null}"#, "/sure: expected boolean, found null");
        check(
            r#"{"coumt": 1}"#,
            "the input: unknown field `coumt`; the known fields are `count`, `cost_usd`, `wait`, `sure`",
        );
        check("[1]", "the input: expected object, found array");
    }

    #[test]
    fn one_refusal_tells_everything_and_programs_get_it_in_parts() {
        let input = Data::parse(r#"{"count": true, "more": 1}"#).unwrap();
        let fault = Fields::read(&input, |fields| fields.count("count", 0, 1)).unwrap_err();
        assert_eq!(fault.code, "INVALID_INPUT");
        assert_eq!(
            fault.message,
            "/count: expected number, found boolean; \
             the input: unknown field `more`; the known fields are `count`"
        );
        assert_eq!(
            fault.details.unwrap().as_str(),
            r#"{"breaches":[{"pointer":"/count","message":"expected number, found boolean"},"#
                .to_owned()
                + r#"{"pointer":"","message":"unknown field `more`; the known fields are `count`"}]}"#
        );
    }
}
