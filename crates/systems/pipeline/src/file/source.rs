//! The text of a pipeline's file, TOML or JSON, as a JSON tree with the line of every value.

use std::{borrow::Cow, collections::BTreeMap};

use consign_contracts::json::{self, Json, Number, Object};
use toml::de::{DeArray, DeTable, DeValue};

use super::{Unusable, Wrong, json_lines};

#[derive(Clone)]
pub struct Source {
    pub(super) tree: Json<'static>,
    lines: Lines,
    /// Lists that are there under both of their names.
    pub(super) twice: Vec<Wrong>,
}

/// The lines of values, by their JSON pointers.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Lines(BTreeMap<String, usize>);

impl Lines {
    /// The line of a value, or of the nearest that holds it.
    #[must_use]
    pub fn of(&self, pointer: &str) -> Option<usize> {
        let mut pointer = pointer;
        loop {
            if let Some(line) = self.0.get(pointer) {
                return Some(*line);
            }
            pointer = &pointer[..pointer.rfind('/')?];
        }
    }

    /// The lines of what is below a value, by the rest of the pointer.
    pub(super) fn below(&self, pointer: &str) -> Self {
        let from = self.0.range(pointer.to_owned()..);
        let below = from.map_while(|(at, line)| Some((at.strip_prefix(pointer)?, *line)));
        // `/stages/10` begins like `/stages/1`.
        let below = below.filter(|(rest, _)| rest.is_empty() || rest.starts_with('/'));
        Self(below.map(|(rest, line)| (rest.to_owned(), line)).collect())
    }
}

impl Source {
    /// Without lines: what was checked before, or comes from a program.
    #[must_use]
    pub fn tree(tree: Json<'static>) -> Self {
        Self { tree, lines: Lines::default(), twice: Vec::new() }
    }

    pub fn json(text: &str) -> Result<Self, Unusable> {
        let tree = json::parse(text.as_bytes()).map_err(|why| {
            let (line, what) = (Some(why.line), why.to_string());
            Unusable { path: None, wrong: vec![Wrong { line, what }] }
        })?;
        let lines = Lines(json_lines::lines(text));
        Ok(Self { tree: tree.into_owned(), lines, twice: Vec::new() })
    }

    /// `[[stage]]` and `[[stage.route]]` become `stages` and `routes`.
    pub fn toml(text: &str) -> Result<Self, Unusable> {
        let table = DeTable::parse(text).map_err(|why| {
            let line = why.span().map(|span| line_of(text, span.start));
            let what = match (why.message(), why.span().and_then(|span| text.get(span))) {
                ("duplicate key", Some(key)) => format!("duplicate key `{}`", key.trim()),
                (message, _) => message.to_owned(),
            };
            Unusable { path: None, wrong: vec![Wrong { line, what }] }
        })?;
        let mut reader = LineReader {
            starts: text.match_indices('\n').map(|(at, _)| at + 1).collect(),
            lines: BTreeMap::from([(String::new(), 1)]),
            twice: Vec::new(),
        };
        let tree = Json::Object(reader.table(table.get_ref(), "", 0)?);
        Ok(Self { tree, lines: Lines(reader.lines), twice: reader.twice })
    }

    /// The line of a value, or of the nearest that holds it.
    pub(super) fn line(&self, pointer: &str) -> Option<usize> {
        self.lines.of(pointer)
    }

    /// The lines of a value and of all in it.
    pub(crate) fn lines(&self, pointer: &str) -> Lines {
        self.lines.below(pointer)
    }

    /// A value goes by another name from now on, and stands where it stood.
    pub(super) fn call(&mut self, was: &str, is: &str) {
        for (rest, line) in self.lines.below(was).0 {
            self.lines.0.insert(format!("{is}{rest}"), line);
        }
    }
}

/// The line of a byte, counted from 1.
pub(super) fn line_of(text: &str, at: usize) -> usize {
    text.as_bytes()[..at.min(text.len())].iter().filter(|byte| **byte == b'\n').count() + 1
}

/// A name as a part of a JSON pointer.
pub(super) fn escaped(name: &str) -> Cow<'_, str> {
    if name.contains(['~', '/']) {
        return name.replace('~', "~0").replace('/', "~1").into();
    }
    name.into()
}

struct LineReader {
    /// Where lines begin, but the first.
    starts: Vec<usize>,
    lines: BTreeMap<String, usize>,
    twice: Vec<Wrong>,
}

impl LineReader {
    fn line_of(&self, at: usize) -> usize {
        self.starts.partition_point(|start| *start <= at) + 1
    }

    fn table(
        &mut self,
        table: &DeTable<'_>,
        at: &str,
        depth: usize,
    ) -> Result<Object<'static>, Unusable> {
        let mut object = Object::new();
        for (name, value) in table {
            let written = name.get_ref().as_ref();
            // The names that read better where each of many has a heading of its own.
            let meant = match (written, at.split('/').nth(1), depth) {
                ("stage", _, 0) => "stages",
                ("route", Some("stages"), 2) => "routes",
                (other, _, _) => other,
            };
            let pointer = format!("{at}/{}", escaped(meant));
            let line = self.line_of(name.span().start);
            if let Some(first) = object.get_mut(meant) {
                let what = format!("`{meant}` is there twice");
                self.twice.push(Wrong { line: Some(line), what });
                // What is wrong in either is told, and names of either are known.
                if let (Json::Array(first), DeValue::Array(more)) = (first, value.get_ref()) {
                    self.items(more, &pointer, depth + 1, first)?;
                }
                continue;
            }
            self.lines.insert(pointer.clone(), line);
            let value = self.value(value.get_ref(), &pointer, depth + 1, value.span().start)?;
            object.set(meant.to_owned(), value);
        }
        Ok(object)
    }

    fn value(
        &mut self,
        value: &DeValue<'_>,
        at: &str,
        depth: usize,
        byte: usize,
    ) -> Result<Json<'static>, Unusable> {
        let refuse = |what: String| {
            let line = Some(self.line_of(byte));
            Unusable { path: None, wrong: vec![Wrong { line, what }] }
        };
        Ok(match value {
            DeValue::String(text) => Json::String(Cow::Owned(text.to_string())),
            DeValue::Boolean(value) => Json::Bool(*value),
            DeValue::Integer(number) => {
                let value = i64::from_str_radix(number.as_str(), number.radix());
                let value = value.map_err(|_| refuse("the number is too large".to_owned()))?;
                Json::Number(value.into())
            }
            DeValue::Float(number) => {
                let value = number
                    .as_str()
                    .parse::<f64>()
                    .ok()
                    .and_then(|value| Number::try_from(value).ok());
                Json::Number(value.ok_or_else(|| refuse("the number is not finite".to_owned()))?)
            }
            DeValue::Datetime(value) => Json::String(Cow::Owned(value.to_string())),
            DeValue::Array(items) => {
                let mut read = Vec::with_capacity(items.len());
                self.items(items, at, depth, &mut read)?;
                Json::Array(read)
            }
            DeValue::Table(table) => Json::Object(self.table(table, at, depth)?),
        })
    }

    /// Reads the items of a list, after those that were read before.
    fn items(
        &mut self,
        items: &DeArray<'_>,
        at: &str,
        depth: usize,
        read: &mut Vec<Json<'static>>,
    ) -> Result<(), Unusable> {
        for item in items.iter() {
            let pointer = format!("{at}/{}", read.len());
            let byte = item.span().start;
            self.lines.insert(pointer.clone(), self.line_of(byte));
            read.push(self.value(item.get_ref(), &pointer, depth + 1, byte)?);
        }
        Ok(())
    }
}
