//! Fields of spans and events, as they are kept until a line is written.

use std::fmt;

use tracing::field::{Field, Visit};

/// A longer text is cut: a path may be as long as its client likes.
const MOST: usize = 2048;
/// The name under which an event has its message.
const MESSAGE: &str = "message";

/// Names with their values, in order, each once: what comes later counts.
#[derive(Clone, Debug, Default)]
pub(super) struct Fields(Vec<(&'static str, Value)>);

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Value {
    Text(String),
    /// A number or a truth value, as JSON writes it too.
    Literal(String),
}

impl Fields {
    pub(super) fn iter(&self) -> impl Iterator<Item = (&'static str, &Value)> {
        self.0.iter().map(|(name, value)| (*name, value))
    }

    pub(super) fn set(&mut self, name: &'static str, value: Value) {
        match self.0.iter_mut().find(|(known, _)| *known == name) {
            Some((_, old)) => *old = value,
            None => self.0.push((name, value)),
        }
    }

    /// Takes the message of an event out of its fields.
    pub(super) fn take_message(&mut self) -> String {
        let at = self.0.iter().position(|(name, _)| *name == MESSAGE);
        match at.map(|at| self.0.remove(at)) {
            Some((_, Value::Text(text) | Value::Literal(text))) => text,
            None => String::new(),
        }
    }

    fn text(&mut self, name: &'static str, mut text: String) {
        if text.len() > MOST {
            text.truncate(text.floor_char_boundary(MOST));
            text.push('…');
        }
        self.set(name, Value::Text(text));
    }

    fn literal(&mut self, field: &Field, value: impl fmt::Display) {
        self.set(field.name(), Value::Literal(value.to_string()));
    }
}

impl Visit for Fields {
    fn record_bool(&mut self, field: &Field, value: bool) {
        self.literal(field, value);
    }

    fn record_i64(&mut self, field: &Field, value: i64) {
        self.literal(field, value);
    }

    fn record_u64(&mut self, field: &Field, value: u64) {
        self.literal(field, value);
    }

    fn record_f64(&mut self, field: &Field, value: f64) {
        match value.is_finite() {
            true => self.literal(field, value),
            false => self.text(field.name(), value.to_string()),
        }
    }

    fn record_str(&mut self, field: &Field, value: &str) {
        // No more is copied than is kept.
        let most = value.floor_char_boundary(MOST + 1);
        self.text(field.name(), value[..most].to_owned());
    }

    fn record_debug(&mut self, field: &Field, value: &dyn fmt::Debug) {
        self.text(field.name(), format!("{value:?}"));
    }
}
