//! Reading one file without keeping it: contract `crew/parser.input` to `crew/parser.output`.

use std::time::Instant;

use consign_conversation::{Reading, failure::Failed, ingest::OcrWish, parsed_chunks};
use consign_parsers::Document;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use crate::{
    Home,
    error::{Error, Refused},
    machine::now,
};

/// How a file is read.
#[derive(Clone, Debug, Default)]
pub struct ParseWish {
    /// The file's name.
    pub name: Option<String>,
    /// What the caller takes it for, as the contract's word; the content decides.
    pub file_type: Option<String>,
    pub ocr: Option<OcrWish>,
    pub force_ocr: bool,
}

/// A file that was read.
#[derive(Clone, Debug)]
pub struct Parsed {
    pub document: Document,
    /// Contract `crew/parser.output`.
    pub output: Value,
}

/// Reads a file. What it failed with is contract `crew/agent-failure`.
pub async fn parse(
    home: &Home,
    bytes: Vec<u8>,
    wish: ParseWish,
) -> Result<Result<Parsed, Failed>, Error> {
    let began = Instant::now();
    let checksum = hex::encode(Sha256::digest(&bytes));
    let reading = Reading {
        name: wish.name,
        wished: wish.file_type,
        ocr: wish.ocr,
        force_ocr: wish.force_ocr,
        ..Reading::default()
    };
    let document = match home.library.reader.read(bytes, reading, Box::new(|| false)).await {
        Ok(document) => document,
        Err(error) if error.code().is_none() => {
            return Err(Refused::new("PARSER_NOT_STARTED", error.to_string()).into());
        }
        Err(error) => return Ok(Err(Failed::of_file(&error).at(now()))),
    };
    let id = &checksum[..32];
    let chunks = parsed_chunks(&document, id);
    let output = json!({
        "document_id": id,
        "metadata": {
            "kind": document.kind.to_string(),
            "title": document.title,
            "checksum": checksum,
            "warnings": document.warnings,
            "document": document.metadata,
        },
        "chunks": chunks,
        "total_pages": document.pages.unwrap_or(1),
        "processing_time_ms": began.elapsed().as_secs_f64() * 1e3,
    });
    Ok(Ok(Parsed { document, output }))
}
