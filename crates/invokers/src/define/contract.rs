//! The contracts of a definition: a schema in the file, in a file beside it, or one of the published.

use std::path::Path;

use consign_contracts::{Contract, json, schema::Schema};
use consign_engine::Data;
use consign_models::file::read_text;

use super::{fault::shown, table::TableReader};

const MOST_BYTES: u64 = 4 << 20;

/// The schema of one side, `input` or `output`. Nothing if there is none, or it cannot be used and why is noted.
pub(super) fn contract(own: &TableReader<'_>, side: &str, folder: &Path) -> Option<Data> {
    let found = own.raw(side)?;
    let schema = match found.value.as_str() {
        None if found.value.is_table() => Ok(own.tree(side)?),
        None => Err("write a file, the name of a contract, or a schema as a table".to_owned()),
        Some(name) => match Contract::find(name) {
            Some(published) => Ok(Data::from(&published.source())),
            None => from_file(name, folder),
        },
    };
    let compiled = schema.and_then(|schema| {
        let tree = schema.tree().map_err(|cause| cause.to_string())?;
        Schema::compile(&tree).map_err(|cause| cause.to_string())?;
        Ok(schema)
    });
    let noted = |why: String| own.notes.note(&found.place, format!("{}: {why}", found.place));
    compiled.map_err(noted).ok()
}

fn from_file(name: &str, folder: &Path) -> Result<Data, String> {
    let named = |why: String| {
        let name = shown(name);
        format!(
            "could not read {name}: {why}; `consign contracts list` has the published contracts"
        )
    };
    let text = read_text(&folder.join(name), MOST_BYTES).map_err(named)?;
    json::parse(text.as_bytes()).map_err(|why| named(why.to_string()))?;
    Data::parse(text).map_err(|why| named(why.to_string()))
}
