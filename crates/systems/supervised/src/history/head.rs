//! The first line of `jobHistory.json`: all members before the interactions.
//!
//! `{"version": "1.0", "job_id": …, "created_at": …, "first_sequence": N, "interactions": [`. Members that we do not
//! know are kept. The line never changes while interactions are appended: another one means another file.

use std::{
    fs::File,
    io::{BufRead, BufReader, Read},
};

use consign_contracts::json::{self, Json, Number, Object};

use super::{Error, body::Positioned, names};

/// Whose history it is, and since when.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Head {
    pub job_id: String,
    pub created_at: String,
}

pub(super) const VERSION: &str = "1.0";
const OPENS: &str = ", \"interactions\": [";
/// No head is longer than this.
const LIMIT: u64 = 1 << 20;

/// The first line.
#[derive(Clone, Debug)]
pub(super) struct HeadLine {
    members: Object<'static>,
    /// The sequence of the file's first interaction.
    pub(super) first: u64,
}

impl HeadLine {
    pub(super) fn new(head: &Head, first: u64) -> Self {
        let mut members = Object::new();
        members.set("version", Json::String(VERSION.into()));
        members.set("job_id", Json::String(head.job_id.clone().into()));
        members.set("created_at", Json::String(head.created_at.clone().into()));
        Self { members, first: 0 }.starting_at(first)
    }

    /// The head of a file that begins with another interaction.
    pub(super) fn starting_at(mut self, first: u64) -> Self {
        self.members.set("first_sequence", Json::Number(Number::from(first)));
        Self { first, ..self }
    }

    /// With a member that only others know, unless it is one of ours.
    pub(super) fn with(mut self, name: &str, value: Json<'static>) -> Self {
        let ours = matches!(name, "interactions" | "recovery_points");
        if !ours && self.members.get(name).is_none() {
            self.members.set(name.to_owned(), value);
        }
        self
    }

    /// The line, with its line break. Interactions begin after it.
    pub(super) fn text(&self) -> String {
        let member = |(name, value): (&str, &Json<'_>)| {
            format!("{}: {}", Json::String(name.into()).text(), value.text())
        };
        let members: Vec<String> = self.members.iter().map(member).collect();
        format!("{{{}{OPENS}\n", members.join(", "))
    }

    /// Reads the head, and says where the interactions begin. `None`: this file has another form.
    pub(super) fn read(file: &File) -> Result<Option<(Self, u64)>, Error> {
        let mut line = Vec::new();
        let from = Positioned::new(file, 0).map_err(Error::io("read", names::FILE))?;
        let mut reader = BufReader::new(from).take(LIMIT);
        reader.read_until(b'\n', &mut line).map_err(Error::io("read", names::FILE))?;
        Ok(parse(&line).map(|head| (head, line.len() as u64)))
    }

    pub(super) fn version(&self) -> &str {
        self.members.get("version").and_then(Json::as_str).unwrap_or_default()
    }

    pub(super) fn about(&self) -> Head {
        let text = |name| self.members.get(name).and_then(Json::as_str).unwrap_or_default();
        Head { job_id: text("job_id").to_owned(), created_at: text("created_at").to_owned() }
    }
}

fn parse(line: &[u8]) -> Option<HeadLine> {
    let line = line.strip_suffix(b"\n")?.strip_suffix(OPENS.as_bytes())?;
    let whole = [line, b"}"].concat();
    let tree = json::parse(&whole).ok()?.into_owned();
    let Json::Object(members) = tree else { return None };
    members.get("version")?.as_str()?;
    let first = members.get("first_sequence")?.as_number()?.as_u64()?;
    Some(HeadLine { members, first })
}

/// The number before the first dot of a version.
pub(super) fn major(version: &str) -> Option<u64> {
    version.split('.').next()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_head_is_read_as_it_was_written() {
        let head = Head { job_id: "a \"job\"\n".to_owned(), created_at: "2026".to_owned() };
        let line = HeadLine::new(&head, 7).with("note", Json::Array(vec![Json::Null]));
        let text = line.text();
        let told = concat!(
            r#"{"version": "1.0", "job_id": "a \"job\"\n", "created_at": "2026", "#,
            r#""first_sequence": 7, "note": [null], "interactions": ["#,
            "\n"
        );
        assert_eq!(text, told);
        let read = parse(text.as_bytes()).unwrap();
        assert_eq!((read.first, read.about(), read.text()), (7, head, text));
    }

    #[test]
    fn another_form_is_no_head() {
        let check = |text: &str| assert!(parse(text.as_bytes()).is_none(), "{text}");
        check("{\n");
        check("{\"job_id\": \"a\", \"interactions\": [\n");
        check("{\"version\": \"1.0\", \"interactions\": [\n");
        check("{\"version\": \"1.0\", \"first_sequence\": 0, \"interactions\": []\n");
        check("{\"version\": \"1.0\", \"first_sequence\": 0, \"interactions\": [");
    }
}
