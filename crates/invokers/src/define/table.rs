//! The values of one table, by field. What is wrong with a value is noted where it stands, and there is no
//! value then: a caller that gets none has nothing to add.
//!
//! A misspelt field is noted, and its value is read as that of the field that was probably meant: what is wrong
//! with the value is told with the same reading.

use std::collections::BTreeMap;

use consign_contracts::suggest::{ask, meant, nearest};
use consign_engine::Data;
use serde::Deserialize;
use toml::{
    Spanned,
    de::{DeString, DeTable, DeValue, ValueDeserializer},
};

use super::{
    fault::{FaultNotes, KeyPlace, shortened, shown},
    fields::{TOP, fields, instead},
};

pub(super) struct TableReader<'a> {
    pub(super) place: KeyPlace,
    pub(super) notes: &'a FaultNotes,
    /// By the field that a key is or stands for.
    values: BTreeMap<&'static str, (KeyPlace, &'a Spanned<DeValue<'a>>)>,
    /// Whether a table stands under a name that is like no field's.
    pub(super) has_strange_table: bool,
}

/// A value with where it stands.
pub(super) struct Located<T> {
    pub(super) value: T,
    pub(super) place: KeyPlace,
}

impl<'a> TableReader<'a> {
    pub(super) fn top(table: &'a DeTable<'a>, notes: &'a FaultNotes) -> Self {
        let place = KeyPlace { pointer: String::new(), byte: None };
        Self::open(TOP, table, place, notes)
    }

    fn open(name: &str, table: &'a DeTable<'a>, place: KeyPlace, notes: &'a FaultNotes) -> Self {
        let known = fields(name);
        let of = |key: &Spanned<DeString<'_>>| place.below(key.get_ref(), Some(key.span().start));
        let mut values = BTreeMap::new();
        let mut strange = Vec::new();
        for (key, value) in table {
            match known.iter().find(|field| *field == key.get_ref()) {
                Some(field) => drop(values.insert(*field, (of(key), value))),
                None => strange.push((key, value)),
            }
        }
        let mut has_strange_table = false;
        // A field that is there under its own name is not meant a second time.
        for (key, value) in strange.into_iter().take_while(|_| !notes.is_full()) {
            let free: Vec<_> =
                known.iter().copied().filter(|field| !values.contains_key(field)).collect();
            let (place, written) = (of(key), key.get_ref().as_ref());
            let near = meant(written, &free);
            let todo = match near {
                Some(_) => ask(near, '`'),
                None => format!("; {}", instead(name, written)),
            };
            notes.note(&place, format!("unknown field `{place}`{todo}"));
            match near {
                Some(near) => drop(values.insert(near, (place, value))),
                None => has_strange_table |= matches!(value.get_ref(), DeValue::Table(_)),
            }
        }
        Self { place, notes, values, has_strange_table }
    }

    pub(super) fn has(&self, field: &str) -> bool {
        self.values.contains_key(field)
    }

    /// Where a field stands, or would stand.
    pub(super) fn at(&self, field: &str) -> KeyPlace {
        match self.values.get(field) {
            Some((place, _)) => place.clone(),
            None => self.place.below(field, self.place.byte),
        }
    }

    /// Notes that a field is missing, unless it is there.
    pub(super) fn require(&self, field: &str, example: &str) {
        if !self.has(field) {
            let place = self.at(field);
            self.notes.note(&place, format!("{place} is missing; write {example}"));
        }
    }

    pub(super) fn string(&self, field: &str) -> Option<Located<String>> {
        let (place, value) = self.values.get(field)?;
        self.string_at(place, value, "a string")
    }

    pub(super) fn boolean(&self, field: &str) -> Option<bool> {
        let (place, value) = self.values.get(field)?;
        let read = value.get_ref().as_bool();
        read.or_else(|| self.wrong_kind(place, value, "true or false"))
    }

    pub(super) fn number(&self, field: &str) -> Option<Located<f64>> {
        let (place, value) = self.values.get(field)?;
        let read = match value.get_ref() {
            DeValue::Float(number) => number.as_str().parse::<f64>().ok(),
            DeValue::Integer(number) => {
                let whole = i128::from_str_radix(number.as_str(), number.radix());
                whole.ok().map(|whole| whole as f64)
            }
            DeValue::String(_)
            | DeValue::Boolean(_)
            | DeValue::Datetime(_)
            | DeValue::Array(_)
            | DeValue::Table(_) => None,
        };
        let value = read.or_else(|| self.wrong_kind(place, value, "a number"))?;
        Some(Located { value, place: place.clone() })
    }

    /// An integer from 1 to `most`.
    pub(super) fn count(&self, field: &str, most: u64) -> Option<u64> {
        let (place, value) = self.values.get(field)?;
        let DeValue::Integer(number) = value.get_ref() else {
            return self.wrong_kind(place, value, "an integer");
        };
        let todo = match i128::from_str_radix(number.as_str(), number.radix()) {
            Ok(..=0) => "write 1 or more".to_owned(),
            Ok(read) => match u64::try_from(read) {
                Ok(count) if count <= most => return Some(count),
                Ok(_) | Err(_) => format!("write {most} or less"),
            },
            Err(_) => format!("write {most} or less"),
        };
        self.notes.note(place, format!("{place} is {}; {todo}", kind(value.get_ref())));
        None
    }

    /// The strings of a list. An item that is none is noted and left out.
    pub(super) fn strings(&self, field: &str) -> Option<Located<Vec<Located<String>>>> {
        const WANTED: &str = "a list of strings";
        let (place, value) = self.values.get(field)?;
        let DeValue::Array(items) = value.get_ref() else {
            return self.wrong_kind(place, value, WANTED);
        };
        let mut read = Vec::with_capacity(items.len());
        for (index, item) in items.iter().enumerate() {
            let place = place.below(index, Some(item.span().start));
            read.extend(self.string_at(&place, item, "a string"));
        }
        Some(Located { value: read, place: place.clone() })
    }

    /// A table that is a part of this definition.
    pub(super) fn table(&self, field: &str) -> Option<TableReader<'a>> {
        let (place, value) = self.values.get(field)?;
        match value.get_ref() {
            DeValue::Table(table) => Some(Self::open(field, table, place.clone(), self.notes)),
            DeValue::String(_)
            | DeValue::Integer(_)
            | DeValue::Float(_)
            | DeValue::Boolean(_)
            | DeValue::Datetime(_)
            | DeValue::Array(_) => {
                self.wrong_kind(place, value, &format!("a table under [{field}]"))
            }
        }
    }

    /// The tables of a list; `name` is what they are called in full.
    pub(super) fn tables(&self, field: &str, name: &str) -> Vec<TableReader<'a>> {
        let Some((place, value)) = self.values.get(field) else { return Vec::new() };
        let wanted = format!("tables, each under [[{name}]]");
        let DeValue::Array(items) = value.get_ref() else {
            return self.wrong_kind(place, value, &wanted).unwrap_or_default();
        };
        let mut read = Vec::with_capacity(items.len());
        for (index, item) in items.iter().enumerate() {
            let place = place.below(index, Some(item.span().start));
            read.extend(match item.get_ref() {
                DeValue::Table(table) => Some(Self::open(name, table, place, self.notes)),
                DeValue::String(_)
                | DeValue::Integer(_)
                | DeValue::Float(_)
                | DeValue::Boolean(_)
                | DeValue::Datetime(_)
                | DeValue::Array(_) => self.wrong_kind(&place, item, &wanted),
            });
        }
        read
    }

    /// A table of the user's own, such as a schema, as JSON with its members in the order of the alphabet.
    pub(super) fn tree(&self, field: &str) -> Option<Data> {
        let (place, value) = self.values.get(field)?;
        if !value.get_ref().is_table() {
            return self.wrong_kind(place, value, "a table");
        }
        let read = toml::Table::deserialize(ValueDeserializer::from((*value).clone()));
        let read = read.map_err(|why| why.message().to_owned()).and_then(|table| {
            // A crate that is built with us may have TOML keep another order.
            let tree = Data::of(&table).tree().map_err(|why| why.to_string())?.into_owned();
            Ok(Data::from(&tree.sorted()))
        });
        read.map_err(|why| self.notes.note(place, format!("{place}: {why}"))).ok()
    }

    /// What stands there, for a field that takes more than one kind of value.
    pub(super) fn raw(&self, field: &str) -> Option<Located<&'a DeValue<'a>>> {
        let (place, value) = self.values.get(field)?;
        Some(Located { value: value.get_ref(), place: place.clone() })
    }

    fn string_at(
        &self,
        place: &KeyPlace,
        value: &Spanned<DeValue<'_>>,
        wanted: &str,
    ) -> Option<Located<String>> {
        let read = value.get_ref().as_str().map(str::to_owned);
        let value = read.or_else(|| self.wrong_kind(place, value, wanted))?;
        Some(Located { value, place: place.clone() })
    }

    fn wrong_kind<T>(
        &self,
        place: &KeyPlace,
        value: &Spanned<DeValue<'_>>,
        wanted: &str,
    ) -> Option<T> {
        let kind = kind(value.get_ref());
        self.notes.note(place, format!("{place} is {kind}; write {wanted}"));
        None
    }
}

impl Located<String> {
    /// The place of the word among those that are known.
    pub(super) fn one_of(&self, known: &[&str], notes: &FaultNotes) -> Option<usize> {
        let found = known.iter().position(|known| *known == self.value);
        if found.is_none() {
            let todo = match nearest(&self.value, known.iter().copied()) {
                Some(near) => format!("did you mean {near:?}?"),
                None => format!("write one of {}", known.join(", ")),
            };
            notes.note(&self.place, format!("{} is {}; {todo}", self.place, shown(&self.value)));
        }
        found
    }
}

/// A number or truth value as it is written, and of all else the kind.
fn kind(value: &DeValue<'_>) -> String {
    match value {
        DeValue::String(_) => "a string".to_owned(),
        DeValue::Integer(number) => shortened(&number.to_string()),
        DeValue::Float(number) => shortened(&number.to_string()),
        DeValue::Boolean(value) => value.to_string(),
        DeValue::Datetime(_) => "a date".to_owned(),
        DeValue::Array(_) => "a list".to_owned(),
        DeValue::Table(_) => "a table".to_owned(),
    }
}
