//! Files of every kind, made here, read and held against what was put in.

#![expect(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "these are tests, and figures are printed"
)]

mod child;
mod chunks;
mod hostile;
mod kinds;
mod make;
mod ocr;
mod pdf;
mod properties;
mod tables;

use std::path::Path;

use consign_parsers::{Document, Options, ParseError};

/// Reads a file as the program does: in a process of its own.
pub(crate) fn in_child(bytes: &[u8], options: &Options) -> Result<Document, ParseError> {
    let program = Path::new(env!("CARGO_BIN_EXE_parse-child"));
    consign_parsers::child::parse_in_child(program, &[], bytes, options, &|| false)
}

/// The text of each block of a document, with its headings.
pub(crate) fn said(document: &Document) -> Vec<(String, String)> {
    document
        .blocks
        .iter()
        .map(|block| (block.heading.join(" > "), document.text_of(block).to_owned()))
        .collect()
}
