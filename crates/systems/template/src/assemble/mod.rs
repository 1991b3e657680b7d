//! Phase 9: writes the package to disk, completely or not at all.
//!
//! [`assemble`] writes into a folder beside the output, syncs everything, and renames it into place in
//! one step. Other processes see nothing of the output, or all of it. A crash leaves a staging folder
//! that carries the run's name, and the same run replaces it; after the rename the same run finds its
//! own work and leaves it.

mod paths;
mod report;
mod stage;

use std::{
    fs,
    io::{self},
    path::{Path, PathBuf},
};

pub(super) use self::{paths::apart, stage::Stage};
pub use self::{
    paths::{OutOfPlace, safe},
    report::{Check, Validation, report},
};
use super::{
    guide,
    manifest::Manifest,
    package::Package,
    placeholders::{Scheme, Stack},
};

/// A larger manifest was not written by this program.
const LARGEST_MANIFEST: u64 = 4 << 20;

/// Why a package is not written.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The output has files that are not of this run.
    #[error("{output} already exists and is not empty")]
    Occupied { output: String },
    #[error("a template cannot be written to {output}: {why}")]
    Unfit { output: String, why: &'static str },
    /// A part of the package would be written somewhere else.
    #[error(transparent)]
    OutOfPlace(#[from] OutOfPlace),
    #[error("the run id {run:?} cannot be used as a file name")]
    Run { run: String },
    #[error("could not {doing} {path}")]
    Io {
        doing: &'static str,
        path: String,
        #[source]
        source: io::Error,
    },
}

impl Error {
    pub(super) fn io(doing: &'static str, path: &Path) -> impl FnOnce(io::Error) -> Self {
        let path = path.display().to_string();
        move |source| Self::Io { doing, path, source }
    }
}

/// Writes a package to its own folder, and returns the files that it has. What is known only at the
/// end (the placeholders, what is missing, the file names) is added to manifest and settings here.
///
/// # Errors
/// [`Error::Occupied`] if the output has other files; none of them is touched.
/// [`Error::OutOfPlace`] if a path of the package leads out of its folder.
pub fn assemble(output: &Path, package: &Package, run: &str) -> Result<Vec<String>, Error> {
    let files = rendered(package, run)?;
    let names: Vec<String> = files.iter().map(|file| file.path.clone()).collect();
    if is_done(output, run)? {
        return Ok(names);
    }
    let stage = Stage::beside(output, run)?;
    for file in &files {
        stage.write(&file.path, &file.content, file.executable)?;
    }
    stage.settle(output)?;
    Ok(names)
}

/// The files that a package has, relative to its folder, without writing any.
#[must_use]
pub fn listing(package: &Package) -> Vec<String> {
    let names = ["manifest.json", "settings.json", "CLAUDE.md"].map(str::to_owned).into_iter();
    let files = package.templates.files.iter();
    let files = files.map(|file| format!("templates/{}.template", file.path));
    let agents = package.agents.iter().map(|agent| format!("agents/{}.md", agent.name));
    names.chain(files).chain(agents).collect()
}

/// A file of the package, before it is written.
pub(super) struct Rendered {
    pub(super) path: String,
    pub(super) content: Vec<u8>,
    pub(super) executable: bool,
}

fn rendered(package: &Package, run: &str) -> Result<Vec<Rendered>, Error> {
    let plain = |path: &str, content: String| Rendered {
        path: path.to_owned(),
        content: content.into_bytes(),
        executable: false,
    };
    let mut manifest = package.manifest.clone();
    manifest.complete(&package.templates);
    run.clone_into(&mut manifest.created_by.run);
    let mut settings = package.settings.clone();
    settings.complete(&package.templates);
    let scheme = Scheme::of(Stack::of(&manifest.language), &manifest.placeholders);
    let mut files = vec![
        plain("manifest.json", json(&manifest)),
        plain("settings.json", json(&settings)),
        plain("CLAUDE.md", guide::with_gaps(&scheme, &package.documentation)),
    ];
    for file in &package.templates.files {
        files.push(Rendered {
            path: safe(&format!("templates/{}.template", file.path))?,
            content: file
                .bytes()
                .ok_or_else(|| OutOfPlace {
                    path: file.path.clone(),
                    why: "its content does not match its encoding",
                })?
                .into_owned(),
            executable: file.executable,
        });
    }
    for agent in &package.agents {
        let plain_name = !agent.name.is_empty()
            && agent
                .name
                .bytes()
                .all(|it| it.is_ascii_lowercase() || it.is_ascii_digit() || it == b'-');
        if !plain_name {
            return Err(OutOfPlace {
                path: agent.name.clone(),
                why: "it is not a valid agent name",
            }
            .into());
        }
        let with_gaps = scheme.generalise("agent.md", &agent.content);
        files.push(plain(&safe(&format!("agents/{}.md", agent.name))?, with_gaps));
    }
    paths::apart(files.iter().map(|file| file.path.as_str()))?;
    Ok(files)
}

fn json(value: &impl serde::Serialize) -> String {
    let mut text =
        serde_json::to_string_pretty(value).expect("it has text keys and finite numbers only");
    text.push('\n');
    text
}

/// Whether this run has already written its output. Other files there are an error.
fn is_done(output: &Path, run: &str) -> Result<bool, Error> {
    let about = match fs::symlink_metadata(output) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(false),
        other => other.map_err(Error::io("read the metadata of", output))?,
    };
    let unfit = |why| Error::Unfit { output: output.display().to_string(), why };
    if about.is_symlink() {
        return Err(unfit("it is a link"));
    }
    if !about.is_dir() {
        return Err(unfit("it is a file"));
    }
    let mut entries = fs::read_dir(output).map_err(Error::io("list", output))?;
    if entries.next().is_none() {
        return Ok(false);
    }
    let occupied = || Error::Occupied { output: output.display().to_string() };
    let tree = super::tree::Tree::open(output).map_err(Error::io("open", output))?;
    let bytes = tree.read("manifest.json", LARGEST_MANIFEST).map_err(|_| occupied())?;
    let manifest: Manifest = serde_json::from_slice(&bytes).map_err(|_| occupied())?;
    if !run.is_empty() && manifest.created_by.run == run { Ok(true) } else { Err(occupied()) }
}

/// Whether a template could go there: nothing is there, or an empty folder.
///
/// # Errors
/// What is in the way.
pub fn is_free(output: &Path) -> Result<(), Error> {
    is_done(output, "").map(|_| ())
}

/// The folder that an output is in, and its name.
pub(super) fn place(output: &Path) -> Result<(PathBuf, String), Error> {
    let unfit = |why| Error::Unfit { output: output.display().to_string(), why };
    let name =
        output.file_name().and_then(|it| it.to_str()).ok_or_else(|| unfit("it has no name"))?;
    let parent = output.parent().filter(|it| !it.as_os_str().is_empty());
    Ok((parent.unwrap_or(Path::new(".")).to_owned(), name.to_owned()))
}

#[cfg(test)]
mod tests;
