//! The contracts of a definition: a schema in the file, in a file beside it, or one of the published.

use std::path::Path;

use consign_contracts::{Contract, json, schema::Schema};
use consign_engine::Data;
use consign_models::file::read_text;
use serde::Deserialize;

#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(super) struct Written {
    pub(super) input: Option<Named>,
    pub(super) output: Option<Named>,
}

#[derive(Deserialize)]
#[serde(untagged)]
pub(super) enum Named {
    /// A file, or a published contract.
    Text(String),
    Schema(toml::Table),
}

const MOST_BYTES: u64 = 4 << 20;

/// The schema that is meant.
pub(super) fn contract(
    side: &str,
    named: Option<&Named>,
    folder: &Path,
) -> Result<Option<Data>, String> {
    let Some(named) = named else { return Ok(None) };
    let wrong = |why: String| format!("contract.{side}: {why}");
    let schema = match named {
        Named::Schema(table) => Data::of(table),
        Named::Text(name) => match Contract::find(name) {
            Some(published) => Data::from(&published.source()),
            None => from_file(name, folder).map_err(wrong)?,
        },
    };
    let tree = schema.tree().map_err(|cause| wrong(cause.to_string()))?;
    Schema::compile(&tree).map_err(|cause| wrong(cause.to_string()))?;
    Ok(Some(schema))
}

fn from_file(name: &str, folder: &Path) -> Result<Data, String> {
    let path = folder.join(name);
    let named = |why: String| format!("{name:?} is no published contract, and as a file: {why}");
    let text = read_text(&path, MOST_BYTES).map_err(named)?;
    json::parse(text.as_bytes()).map_err(|why| named(why.to_string()))?;
    Data::parse(text).map_err(|why| named(why.to_string()))
}
