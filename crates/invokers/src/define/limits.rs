//! `[limits]`, and spans of time.

use std::{
    path::{Path, PathBuf},
    time::Duration,
};

use consign_engine::Nanos;
use toml::de::DeValue;

use super::{
    fault::{FaultNotes, shortened, shown},
    table::{Located, TableReader},
};
use crate::{http, process};

/// What one call may take.
pub(super) struct Limits {
    timeout: Duration,
    pub(super) max_cost: Nanos,
    memory: u64,
    output: u64,
}

impl Limits {
    pub(super) fn read(own: Option<&TableReader<'_>>, timeout: Duration) -> Self {
        let megabytes = |field: &str, usual: u64| {
            let count = own.and_then(|own| own.count(field, u64::MAX)).unwrap_or(usual);
            count.min(1 << 20) << 20
        };
        Self {
            timeout,
            max_cost: own.and_then(max_cost).unwrap_or_default(),
            memory: megabytes("memory_mb", 1024),
            output: megabytes("output_mb", 10),
        }
    }

    pub(super) fn program(
        &self,
        command: Vec<String>,
        directory: Option<PathBuf>,
        env: Vec<String>,
        folder: &Path,
    ) -> process::Definition {
        process::Definition {
            directory: Some(folder.join(directory.unwrap_or_default())),
            env,
            timeout: self.timeout,
            memory: self.memory,
            output: self.output,
            max_cost: self.max_cost,
            ..process::Definition::new(command)
        }
    }

    pub(super) fn server(
        &self,
        url: String,
        bearer: Option<String>,
        allow_private: bool,
    ) -> http::Definition {
        let (timeout, output, max_cost) = (self.timeout, self.output, self.max_cost);
        let usual = http::Definition::new(url);
        http::Definition { bearer, timeout, output, max_cost, allow_private, ..usual }
    }
}

/// A number or a string, read as text so that its digits are kept.
fn max_cost(own: &TableReader<'_>) -> Option<Nanos> {
    let Located { value, place } = own.raw("max_cost_usd")?;
    let (written, text) = match value {
        DeValue::String(text) => (shown(text), text.as_ref()),
        DeValue::Integer(number) if number.radix() == 10 => {
            (shortened(number.as_str()), number.as_str())
        }
        DeValue::Float(number) => (shortened(number.as_str()), number.as_str()),
        DeValue::Integer(_)
        | DeValue::Boolean(_)
        | DeValue::Datetime(_)
        | DeValue::Array(_)
        | DeValue::Table(_) => ("no amount".to_owned(), ""),
    };
    let cost = Nanos::from_usd(text.strip_prefix('+').unwrap_or(text));
    if cost.is_none() {
        let what = format!("{place} is {written}; write an amount in dollars, such as 0.25");
        own.notes.note(&place, what);
    }
    cost
}

/// A span of time that is not longer than `most`.
pub(super) fn seconds(own: &Located<f64>, most: Duration, notes: &FaultNotes) -> Option<Duration> {
    let Located { value, place } = own;
    if *value > most.as_secs_f64() {
        let (seconds, days) = (most.as_secs(), most.as_secs() / (24 * 3600));
        notes.note(place, format!("{place} is {value}; write {seconds} ({days} days) or less"));
        return None;
    }
    let span = Duration::try_from_secs_f64(*value).ok().filter(|span| !span.is_zero());
    if span.is_none() {
        notes.note(place, format!("{place} is {value}; write a number of seconds above 0"));
    }
    span
}
