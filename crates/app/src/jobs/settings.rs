//! `jobs.toml` of a home: what can be set for all its jobs.

use std::{fs, io::ErrorKind, path::Path};

use consign_engine::store;
use consign_supervised::history::ROTATE_BYTES;
use serde::Deserialize;

use crate::error::{Error, Refused};

/// A history that is rotated at less than this would be mostly segments.
const LEAST: u64 = 4096;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Settings {
    rotate_bytes: Option<u64>,
}

/// At how many bytes the history of a job is rotated.
pub(crate) fn rotate_bytes(home: &Path) -> Result<u64, Error> {
    let path = home.join("jobs.toml");
    let text = match fs::read_to_string(&path) {
        Ok(text) => text,
        Err(cause) if cause.kind() == ErrorKind::NotFound => return Ok(ROTATE_BYTES),
        Err(cause) => {
            let told = format!("could not read {}: {cause}", path.display());
            return Err(store::Error::Unavailable(told).into());
        }
    };
    let invalid = |why: String| {
        Refused::new("CONFIG_INVALID", format!("jobs.toml: {why}"))
            .hint("docs/settings.md has the form")
    };
    let settings: Settings = toml::from_str(&text).map_err(|why| invalid(why.to_string()))?;
    match settings.rotate_bytes {
        None => Ok(ROTATE_BYTES),
        Some(bytes) if bytes >= LEAST => Ok(bytes),
        Some(bytes) => {
            Err(invalid(format!("rotate_bytes is {bytes}, and must be at least {LEAST}")).into())
        }
    }
}
