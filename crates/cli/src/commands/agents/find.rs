//! Definitions by name or by file.

use std::path::{Path, PathBuf};

use consign_invokers::define::{self, Definition, Unusable};

use crate::{error::Error, house, output::printable, text::nearest};

/// Whether a file is meant, and not a name.
pub(super) fn is_file(named: &str) -> bool {
    named.contains('/') || named.ends_with(".toml")
}

/// Where the definition of a name is kept.
pub(super) fn place(home: &Path, name: &str) -> PathBuf {
    house::definitions(home).join(format!("{name}.toml"))
}

/// Every definition of a home, readable or not.
pub(in crate::commands) fn all(home: &Path) -> Result<Vec<Result<Definition, Unusable>>, Error> {
    define::read_folder(&house::definitions(home)).map_err(unusable)
}

/// The definition of an agent that was added. `None` if there is none of that name.
pub(in crate::commands) fn named(home: &Path, name: &str) -> Result<Option<Definition>, Error> {
    let plain = name.chars().all(|letter| letter.is_ascii_alphanumeric() || letter == '-');
    let path = place(home, name);
    if !plain || path.symlink_metadata().is_err() {
        return Ok(None);
    }
    define::read(&path).map(Some).map_err(unusable)
}

pub(super) fn unusable(unusable: Unusable) -> Error {
    let told = unusable.to_string();
    let mut lines = told.lines().map(|line| printable(line).into_owned());
    Error::new("AGENT_INVALID", lines.next().unwrap_or_default())
        .listing(lines)
        .hint("`consign agents --help` has an example")
}

pub(super) fn unknown(home: &Path, name: &str) -> Error {
    let known = all(home).unwrap_or_default().into_iter().filter_map(Result::ok);
    let near = nearest(name, known.map(|known| known.name));
    let near = near.map_or_else(String::new, |near| format!("did you mean `{near}`? "));
    Error::new("AGENT_NOT_FOUND", format!("there is no agent {}", printable(name))).hint(format!(
        "{near}`consign agents list` shows them; `consign agents add FILE.toml` adds one"
    ))
}
