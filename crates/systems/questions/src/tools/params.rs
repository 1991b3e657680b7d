//! Reads a tool's parameters strictly.
//!
//! Each is taken by name and type; [`Params::done`] refuses those that were not taken. A message
//! says what is wrong in words that a model can act on.

use std::{cell::RefCell, fmt::Display};

use consign_contracts::json::{Json, Number, Object};

use super::Broken;

/// The most characters of a name, path or pattern.
const LONGEST: usize = 1_000;
/// Items of a list that are looked at.
const MOST_ITEMS: usize = 20;

pub(super) struct Params<'p> {
    given: &'p Object<'p>,
    taken: RefCell<Vec<&'static str>>,
}

impl<'p> Params<'p> {
    pub(super) fn of(given: &'p Object<'p>) -> Self {
        Self { given, taken: RefCell::default() }
    }

    fn take(&self, key: &'static str) -> Option<&'p Json<'p>> {
        self.taken.borrow_mut().push(key);
        self.given.get(key).filter(|value| **value != Json::Null)
    }

    /// A text that must be there.
    pub(super) fn text(&self, key: &'static str) -> Result<&'p str, Broken> {
        self.optional(key)?.ok_or_else(|| wrong(format!("{key} is missing")))
    }

    pub(super) fn optional(&self, key: &'static str) -> Result<Option<&'p str>, Broken> {
        let Some(value) = self.take(key) else { return Ok(None) };
        let text = value.as_str().ok_or_else(|| wrong(format!("{key} must be a string")))?;
        if text.trim().is_empty() || text.len() > LONGEST {
            return Err(wrong(format!("{key} must have 1 to {LONGEST} characters")));
        }
        Ok(Some(text))
    }

    /// A list of texts; none if it is not there.
    pub(super) fn texts(&self, key: &'static str) -> Result<Vec<&'p str>, Broken> {
        let Some(value) = self.take(key) else { return Ok(Vec::new()) };
        let items = value.as_array().ok_or_else(|| wrong(format!("{key} must be a list")))?;
        let text = |item: &'p Json<'p>| {
            let fits = |text: &&str| !text.trim().is_empty() && text.len() <= LONGEST;
            item.as_str()
                .filter(fits)
                .ok_or_else(|| wrong(format!("{key} must be a list of strings")))
        };
        items.iter().take(MOST_ITEMS).map(text).collect()
    }

    pub(super) fn flag(&self, key: &'static str) -> Result<bool, Broken> {
        match self.take(key) {
            None => Ok(false),
            Some(value) => {
                value.as_bool().ok_or_else(|| wrong(format!("{key} must be true or false")))
            }
        }
    }

    /// A whole number from `least` to `most`.
    pub(super) fn number(
        &self,
        key: &'static str,
        least: usize,
        most: usize,
    ) -> Result<Option<usize>, Broken> {
        let Some(value) = self.take(key) else { return Ok(None) };
        value
            .as_number()
            .and_then(Number::as_u64)
            .and_then(|number| usize::try_from(number).ok())
            .filter(|number| (least..=most).contains(number))
            .map(Some)
            .ok_or_else(|| wrong(format!("{key} must be a whole number from {least} to {most}")))
    }

    /// Refuses what was given and not taken.
    pub(super) fn done(self) -> Result<(), Broken> {
        let taken = self.taken.into_inner();
        match self.given.keys().find(|key| !taken.contains(key)) {
            Some(unknown) => {
                Err(wrong(format!("unknown parameter {unknown:?}; there are {}", taken.join(", "))))
            }
            None => Ok(()),
        }
    }
}

pub(super) fn wrong(what: impl Display) -> Broken {
    Broken::Params(what.to_string())
}
