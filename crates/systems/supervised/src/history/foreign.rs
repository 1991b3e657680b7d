//! A `jobHistory.json` in any layout, as the protocol's own document has it: read in one pass, with one interaction in
//! memory.

use std::{fmt, fs::File, io::BufReader};

use serde::{
    Deserializer,
    de::{DeserializeSeed, Error as _, IgnoredAny, MapAccess, SeqAccess, Visitor},
};
use serde_json::value::RawValue;

use super::{Error, body::Positioned, names};

/// All but the interactions.
#[derive(Default)]
pub(super) struct Foreign {
    pub(super) version: Option<String>,
    pub(super) job_id: String,
    pub(super) created_at: String,
    pub(super) has_interactions: bool,
    /// Only our own files have a `first_sequence`.
    pub(super) is_ours: bool,
    pub(super) points: Vec<Box<RawValue>>,
    /// Members that we do not know.
    pub(super) more: Vec<(String, Box<RawValue>)>,
}

/// Reads all but the interactions. What was found before an error is there, too.
pub(super) fn look(file: &File, found: &mut Foreign) -> Result<(), Error> {
    read(file, found, None)
}

/// Calls `each` with the text of every interaction.
pub(super) fn each(
    file: &File,
    mut each: impl FnMut(Box<RawValue>) -> Result<(), Error>,
) -> Result<(), Error> {
    let mut failed = None;
    let mut guarded = |text| match each(text) {
        Ok(()) => true,
        Err(error) => {
            failed = Some(error);
            false
        }
    };
    let read = read(file, &mut Foreign::default(), Some(&mut guarded));
    failed.map_or(read, Err)
}

type Each<'a> = &'a mut dyn FnMut(Box<RawValue>) -> bool;

fn read(file: &File, found: &mut Foreign, each: Option<Each<'_>>) -> Result<(), Error> {
    let from = Positioned::new(file, 0).map_err(Error::io("read", names::FILE))?;
    let mut reader = serde_json::Deserializer::from_reader(BufReader::new(from));
    let read = reader.deserialize_map(Members { found, each }).and_then(|()| reader.end());
    read.map_err(|error| match error.classify() {
        serde_json::error::Category::Io => Error::io("read", names::FILE)(error.into()),
        serde_json::error::Category::Syntax
        | serde_json::error::Category::Data
        | serde_json::error::Category::Eof => Error::damaged(None, error.to_string()),
    })
}

struct Members<'a, 'b> {
    found: &'a mut Foreign,
    each: Option<Each<'b>>,
}

impl<'de> Visitor<'de> for Members<'_, '_> {
    type Value = ();

    fn expecting(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        to.write_str("a job history")
    }

    fn visit_map<A: MapAccess<'de>>(mut self, mut map: A) -> Result<(), A::Error> {
        let mut seen = Vec::new();
        while let Some(name) = map.next_key::<String>()? {
            if seen.contains(&name) {
                return Err(A::Error::custom(format!("duplicate key {name:?}")));
            }
            match name.as_str() {
                "version" => self.found.version = Some(map.next_value()?),
                "job_id" => self.found.job_id = map.next_value()?,
                "created_at" => self.found.created_at = map.next_value()?,
                "recovery_points" => self.found.points = map.next_value()?,
                "first_sequence" => {
                    self.found.is_ours = true;
                    map.next_value::<IgnoredAny>()?;
                }
                "interactions" => {
                    self.found.has_interactions = true;
                    match &mut self.each {
                        Some(each) => map.next_value_seed(Elements { each })?,
                        None => _ = map.next_value::<IgnoredAny>()?,
                    }
                }
                _ => self.found.more.push((name.clone(), map.next_value()?)),
            }
            seen.push(name);
        }
        Ok(())
    }
}

struct Elements<'a, 'b> {
    each: &'a mut Each<'b>,
}

impl<'de> DeserializeSeed<'de> for Elements<'_, '_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, from: D) -> Result<(), D::Error> {
        from.deserialize_seq(self)
    }
}

impl<'de> Visitor<'de> for Elements<'_, '_> {
    type Value = ();

    fn expecting(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        to.write_str("interactions")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut elements: A) -> Result<(), A::Error> {
        while let Some(text) = elements.next_element::<Box<RawValue>>()? {
            if !(self.each)(text) {
                return Err(A::Error::custom("an interaction was refused"));
            }
        }
        Ok(())
    }
}
