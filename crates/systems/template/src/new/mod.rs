//! Makes a project from a template: fills in its placeholders.
//!
//! A template may not be trusted. Its files are read beneath its handle and without links, all of it
//! is bounded, and no path leads out of the new project, whatever a name or a manifest says. The
//! project is written beside its place and moved there in one step.

mod legal;
mod values;

use std::{fs, io, path::Path};

pub use self::values::{Origin, Used, WrongValue};
use super::{
    assemble::{self, Stage, safe},
    guide,
    manifest::Manifest,
    package::Encoding,
    placeholders::{Key, Subject, Values, fill},
    tree::{Tree, Unread},
};

const LARGEST_MANIFEST: u64 = 4 << 20;
const LARGEST_FILE: u64 = 1 << 20;
const LARGEST_ALL: usize = 64 << 20;
const MOST_FILES: usize = 10_000;
/// How large a file may become: a short placeholder can occur in it a million times.
const LARGEST_FILLED: usize = 8 << 20;

/// What was made of a template.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Report {
    /// Relative to the new project, by path.
    pub files: Vec<String>,
    /// What was filled in, and where each value came from.
    pub values: Vec<Used>,
    /// Settings that the template does not use.
    pub unused: Vec<String>,
}

/// Why no project was made. Nothing is left behind.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    #[error("{from} is not a template: {why}")]
    NotATemplate { from: String, why: String },
    #[error(transparent)]
    Value(#[from] WrongValue),
    /// The target has something in it, or is no folder.
    #[error(transparent)]
    Target(#[from] assemble::Error),
    /// A file of the template is broken or malicious.
    #[error("the template's file {path:?} cannot be used: {why}")]
    File { path: String, why: String },
}

/// Makes a project of a template, with its guide unless it has one of its own, and with its agents if
/// they are wanted. `values` are settings (`name`, `namespace`, `entity`, `author`, `author-email`) with
/// what they are set to; for the others the template's own names are kept, and the report says so.
///
/// # Errors
/// [`Error::NotATemplate`], [`Error::Value`], [`Error::Target`] and [`Error::File`] say what is wrong.
pub fn instantiate(
    from: &Path,
    to: &Path,
    values: &[(String, String)],
    agents: bool,
) -> Result<Report, Error> {
    let foreign = |why: String| Error::NotATemplate { from: from.display().to_string(), why };
    let tree = Tree::open(from).map_err(|why| foreign(format!("it cannot be opened: {why}")))?;
    let manifest = read_manifest(&tree).map_err(foreign)?;
    let settled = values::settle(&manifest, values)?;
    let target = vacant(to)?;
    let listing = tree
        .list(MOST_FILES, |path, _| is_part(path), || false)
        .map_err(|why| foreign(format!("it cannot be listed: {why}")))?;
    if listing.truncated {
        return Err(foreign(format!("it has more than {MOST_FILES} files")));
    }
    if let Some(odd) = listing.odd.iter().find(|it| is_part(it)) {
        let why = "it is a link, or cannot be read".to_owned();
        return Err(Error::File { path: odd.clone(), why });
    }
    let mut made = Vec::new();
    let (mut all, mut templates) = (0, 0);
    let own_guide = listing.files.iter().any(|file| file.path == "templates/CLAUDE.md.template");
    for file in listing.files {
        let wrong = |why: String| Error::File { path: file.path.clone(), why };
        let Some(inside) = goes_to(&file.path) else { continue };
        let is_guide = file.path == "CLAUDE.md";
        if is_guide && own_guide || !agents && file.path.starts_with("agents/") {
            continue;
        }
        let bytes =
            tree.read(&file.path, LARGEST_FILE).map_err(|why: Unread| wrong(why.to_string()))?;
        let (path, mut unknown) = fill(&inside, &settled.values);
        // What is no text has no gaps and stays as it is.
        let content = match Encoding::of(&bytes) {
            Encoding::Base64 => bytes,
            Encoding::Text => {
                let mut text = String::from_utf8_lossy(&bytes);
                if is_guide {
                    text = guide::of_project(&text, agents).into();
                    if text.is_empty() {
                        continue;
                    }
                }
                let (filled, more) = filled(&text, &settled.values)
                    .ok_or_else(|| wrong("it would become too large".to_owned()))?;
                unknown.extend(more);
                filled.into_bytes()
            }
        };
        if let Some(key) = unknown.first() {
            return Err(wrong(format!("it has {{{{{key}}}}}, which the manifest does not have")));
        }
        let path = safe(&path).map_err(|why| wrong(why.to_string()))?;
        all += content.len();
        if all > LARGEST_ALL {
            return Err(foreign(format!("it would become larger than {LARGEST_ALL} bytes")));
        }
        templates += usize::from(file.path.starts_with("templates/"));
        made.push((path, content, file.executable));
    }
    if templates == 0 {
        return Err(foreign("it has no template files".to_owned()));
    }
    if let Err(why) = assemble::apart(made.iter().map(|(path, ..)| path.as_str())) {
        return Err(match values::alike(&settled.used) {
            Some(alike) => Error::Value(alike),
            None => Error::Target(why.into()),
        });
    }
    let stage = Stage::beside(&target, &format!("new-{}", std::process::id()))?;
    for (path, content, executable) in &made {
        stage.write(path, content, *executable)?;
    }
    stage.settle(&target)?;
    let mut files: Vec<String> = made.into_iter().map(|(path, ..)| path).collect();
    files.sort();
    Ok(Report { files, values: settled.used, unused: settled.unused })
}

/// Whether a path of a template is one of those that projects are made of.
fn is_part(path: &str) -> bool {
    let below = |folder: &str| {
        path.strip_prefix(folder).is_some_and(|it| it.is_empty() || it.starts_with('/'))
    };
    below("templates") || below("agents") || path == "CLAUDE.md"
}

/// The path of a template's file in the project, placeholders included.
fn goes_to(path: &str) -> Option<String> {
    if path == "CLAUDE.md" {
        return Some(path.to_owned());
    }
    if let Some(inside) = path.strip_prefix("templates/") {
        return inside.strip_suffix(".template").map(str::to_owned);
    }
    let agent = path.strip_prefix("agents/").filter(|it| it.ends_with(".md") && !it.contains('/'));
    agent.map(|name| format!(".claude/agents/{name}"))
}

/// A text with its placeholders filled in, unless it would become too large.
fn filled(text: &str, values: &Values) -> Option<(String, Vec<Key>)> {
    let longest = values.values().map(String::len).max().unwrap_or(0);
    // Each placeholder takes six bytes at least.
    let most = text.matches("{{").count().saturating_mul(longest).saturating_add(text.len());
    (most <= LARGEST_FILLED).then(|| fill(text, values))
}

/// What a template's placeholders would become. Values that cannot be used leave the defaults.
pub(super) fn settled(manifest: &Manifest, set: &[(String, String)]) -> Values {
    let settled = values::settle(manifest, set).or_else(|_| values::settle(manifest, &[]));
    settled.map(|it| it.values).unwrap_or_default()
}

fn read_manifest(tree: &Tree) -> Result<Manifest, String> {
    let bytes = tree.read("manifest.json", LARGEST_MANIFEST);
    let bytes = bytes.map_err(|why| format!("its manifest.json: {why}"))?;
    let manifest: Manifest =
        serde_json::from_slice(&bytes).map_err(|why| format!("its manifest.json: {why}"))?;
    if !manifest.schema_version.starts_with("1.") {
        return Err(format!(
            "its manifest has version {:?}; this program reads versions 1.x",
            manifest.schema_version
        ));
    }
    for placeholder in &manifest.placeholders {
        let shown: String = placeholder.default.chars().take(60).collect();
        if placeholder.default.len() > 200 || placeholder.default.contains(char::is_control) {
            return Err(format!(
                "the default {shown:?} of {:?} is not a valid name",
                placeholder.name
            ));
        }
        if placeholder.subject != Subject::Author && placeholder.default.contains("..") {
            return Err(format!(
                "the default {shown:?} of {:?} is not a valid name",
                placeholder.name
            ));
        }
    }
    Ok(manifest)
}

/// The target, if nothing is there yet. The system refuses to move anything over a folder that is not
/// empty, whatever happens in between.
fn vacant(to: &Path) -> Result<std::path::PathBuf, assemble::Error> {
    let refuse = |why| Err(assemble::Error::Unfit { output: to.display().to_string(), why });
    match fs::symlink_metadata(to) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => {}
        Err(error) => return Err(assemble::Error::io("read the metadata of", to)(error)),
        Ok(about) if about.is_symlink() => return refuse("it is a link"),
        Ok(about) if !about.is_dir() => return refuse("it is a file"),
        Ok(_) => {
            let mut entries = fs::read_dir(to).map_err(assemble::Error::io("list", to))?;
            if entries.next().is_some() {
                return Err(assemble::Error::Occupied { output: to.display().to_string() });
            }
        }
    }
    // `.` and `..` have no name to put something beside.
    if to.file_name().is_some() {
        Ok(to.to_owned())
    } else {
        fs::canonicalize(to).map_err(assemble::Error::io("find", to))
    }
}

#[cfg(test)]
mod round_trip;
#[cfg(test)]
mod tests;
