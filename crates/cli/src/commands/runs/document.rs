//! JSON that comes with a command: in a file, on standard input, or typed.
//!
//! It ends up in a journal that is printed a line to an event, so it is laid out on one line; digits
//! and the order of members stay as they are.

use std::path::Path;

use consign_contracts::json;
use consign_engine::Data;

use crate::{error::Error, input::Source, output::printable};

const QUOTING: &str = "JSON needs quotes of its own: put it in single quotes, as in --value \
                       '{\"go_on\": true}', and text in both, as in --value '\"yes\"'";

/// The input of a run: a file, `-`, or JSON itself.
pub(in crate::commands) fn input(typed: Option<&str>) -> Result<Data, Error> {
    match typed {
        None => Ok(Data::of(&std::collections::BTreeMap::<String, String>::new())),
        Some(text) if text.trim().is_empty() => {
            Err(Error::usage("INPUT_MALFORMED", "the input is empty")
                .hint("name a file, `-` or JSON; without --input it is {}"))
        }
        Some(text) if is_json(text) => parse(text.as_bytes()).map_err(|why| {
            Error::usage("INPUT_MALFORMED", format!("the input: {why}"))
                .hint("put JSON in single quotes, as in --input '{\"steps\": 3}'")
        }),
        Some(file) => read(Path::new(file), "INPUT_MALFORMED"),
    }
}

/// Whether what was typed is JSON, or meant to be, and no file. A number or a word may be a file's name.
pub(in crate::commands) fn is_json(typed: &str) -> bool {
    let value = || typed != "-" && !Path::new(typed).exists() && parse(typed.as_bytes()).is_ok();
    typed.trim_start().starts_with(['{', '[', '"']) || value()
}

/// The value of an answer: JSON itself, or `-`.
pub(super) fn value(typed: &str) -> Result<Data, Error> {
    if typed == "-" {
        return read(Path::new(typed), "VALUE_MALFORMED");
    }
    parse(typed.as_bytes()).map_err(|why| {
        let shown: String = printable(typed).chars().take(80).collect();
        Error::usage("VALUE_MALFORMED", format!("{shown:?}: {why}")).hint(QUOTING)
    })
}

/// An answer in a file: JSON, or else its text.
pub(super) fn of_file(file: &Path) -> Result<Data, Error> {
    let source = Source::of(file);
    let bytes = source.read(json::Limits::default().bytes)?;
    if let Ok(value) = parse(&bytes) {
        return Ok(value);
    }
    let text = String::from_utf8(bytes);
    let unfit = |_| Error::new("VALUE_MALFORMED", format!("{} is not UTF-8", source.name()));
    Ok(Data::of(text.map_err(unfit)?.trim_end()))
}

fn read(file: &Path, code: &'static str) -> Result<Data, Error> {
    let source = Source::of(file);
    let limit = json::Limits::default().bytes;
    let bytes = source.read(limit)?;
    parse(&bytes).map_err(|why| Error::new(code, format!("{}: {why}", source.name())))
}

fn parse(bytes: &[u8]) -> Result<Data, json::Malformed> {
    json::parse(bytes).map(|tree| Data::from(&tree))
}
