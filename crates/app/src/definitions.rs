//! Finds and reads the definitions of a home's agents, by name or by file.

use std::path::{Path, PathBuf};

use consign_invokers::define::{self, Definition, Unusable};

use crate::{compose, error::Refused, suggest::nearest};

/// Whether a file is meant, and not a name.
pub fn is_file(named: &str) -> bool {
    named.contains('/') || named.ends_with(".toml")
}

/// Where the definition of a name is kept.
pub fn place(home: &Path, name: &str) -> PathBuf {
    compose::definitions(home).join(format!("{name}.toml"))
}

/// Every definition of a home, readable or not.
pub fn all(home: &Path) -> Result<Vec<Result<Definition, Unusable>>, Unusable> {
    define::read_folder(&compose::definitions(home))
}

/// The definition of an agent that was added. `None` if there is none of that name.
pub fn named(home: &Path, name: &str) -> Result<Option<Definition>, Refused> {
    read(home, name).map_err(unusable)
}

pub(crate) fn read(home: &Path, name: &str) -> Result<Option<Definition>, Unusable> {
    let plain = name.chars().all(|letter| letter.is_ascii_alphanumeric() || letter == '-');
    let path = place(home, name);
    if !plain || path.symlink_metadata().is_err() {
        return Ok(None);
    }
    define::read(&path).map(Some)
}

/// A definition that cannot be used, with all of its faults.
pub fn unusable(unusable: Unusable) -> Refused {
    let Unusable { path, faults } = &unusable;
    let many = if faults.len() == 1 { "a fault" } else { &format!("{} faults", faults.len()) };
    Refused::new("AGENT_INVALID", format!("the definition {} has {many}", path.display()))
        .listing(unusable.lines())
        .detail("faults", unusable.json())
        .hint("docs/agents.md has every field; `consign agents --help` has an example")
}

pub fn unknown(home: &Path, name: &str) -> Refused {
    let known = all(home).unwrap_or_default().into_iter().filter_map(Result::ok);
    let near = nearest(name, known.map(|known| known.name));
    let near = near.map_or_else(String::new, |near| format!("did you mean `{near}`? "));
    Refused::new("AGENT_NOT_FOUND", format!("there is no agent {}", name)).hint(format!(
        "{near}`consign agents list` shows them; `consign agents add FILE.toml` adds one"
    ))
}
