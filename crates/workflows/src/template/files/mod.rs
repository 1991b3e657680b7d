//! Template files: the project's own sources, with placeholders for its names.
//!
//! [`generate`] lists the project, chooses files, reads them, replaces names and says what somebody who
//! uses the result would look for in vain. It writes nothing, follows no link and takes no secret.

mod choose;
mod completeness;
mod entity;
mod ignored;
mod imports;
mod layer;
mod read;
mod secret;

use std::{io, path::Path};

use consign_code::{Cancel, Class};

use self::{ignored::Ignored, imports::Index, read::Reader};
use super::{
    analysis::Analysis,
    package::{TemplateFile, Templates},
    placeholders,
    tree::{Seen, Tree},
};

/// Files that are listed at most.
const MOST_FILES: usize = 200_000;
/// The bridge's own files, which lie in the project while a template is made.
const BRIDGE: [&str; 3] =
    [".agent-request.json", ".agent-response.json", ".template-create-state.json"];

/// Why there are no template files.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    #[error("{project} cannot be read")]
    Unreadable {
        project: String,
        #[source]
        source: io::Error,
    },
    /// Nothing in it is a text that a template could have.
    #[error("{project} has no file that a template could be made of")]
    Empty { project: String },
    #[error("cancelled")]
    Cancelled,
}

/// The template files of a project, at most so many, and what is missing among them.
///
/// # Errors
/// [`Error::Unreadable`] if the project is no folder that can be read, [`Error::Empty`] if it has
/// nothing, [`Error::Cancelled`] if somebody said so.
pub fn generate(
    project: &Path,
    analysis: &Analysis,
    most: Option<usize>,
    cancel: &Cancel,
) -> Result<Templates, Error> {
    let unreadable = |source| Error::Unreadable { project: project.display().to_string(), source };
    let tree = Tree::open(project).map_err(unreadable)?;
    let mut reader = Reader::new(&tree);
    let files = list(&tree, &mut reader, cancel).map_err(unreadable)?;
    if cancel.is_cancelled() {
        return Err(Error::Cancelled);
    }
    let mut index = Index::new(files.iter().map(|file| file.path.clone()));
    for file in files.iter().filter(|it| it.path.ends_with("go.mod")).take(100) {
        let text = reader.text(&file.path).unwrap_or_default();
        index.go_module(&file.path, &text);
    }
    let chosen = choose::choose(&files, analysis, most, &index, &mut reader);
    let mut sources = Vec::new();
    for path in chosen {
        if cancel.is_cancelled() {
            return Err(Error::Cancelled);
        }
        if let Some(text) = reader.text(&path) {
            sources.push((path, text));
        }
    }
    if sources.is_empty() {
        return Err(Error::Empty { project: project.display().to_string() });
    }
    let entity = entity::entity(analysis, &sources);
    let scheme = placeholders::scheme(analysis, entity.as_deref());
    let completeness = completeness::completeness(project, analysis, &index, &sources, cancel);
    let executable = |path: &str| {
        let at = files.binary_search_by(|file| file.path.as_str().cmp(path));
        at.is_ok_and(|at| files[at].executable)
    };
    let files: Vec<TemplateFile> = sources
        .into_iter()
        .map(|(path, text)| TemplateFile {
            path: scheme.generalise_path(&path),
            layer: layer::layer(analysis, &path),
            content: scheme.generalise(&path, &text),
            executable: executable(&path),
            origin: path,
        })
        .collect();
    let placeholders = used(&scheme, &files);
    Ok(Templates { files, completeness, placeholders, left_out: reader.into_left_out() })
}

/// The placeholders that some file has. One that is in none would be asked for in vain.
fn used(scheme: &placeholders::Scheme, files: &[TemplateFile]) -> Vec<placeholders::Placeholder> {
    let has = |name: &str| {
        let token = format!("{{{{{name}}}}}");
        files.iter().any(|file| file.content.contains(&token) || file.path.contains(&token))
    };
    scheme.placeholders().iter().filter(|it| has(&it.name)).cloned().collect()
}

/// The files that may come into a template.
fn list(tree: &Tree, reader: &mut Reader<'_>, cancel: &Cancel) -> io::Result<Vec<Seen>> {
    let mut ignored = Ignored::new(tree);
    let listing =
        tree.list(MOST_FILES, |path, beside| ignored.enters(path, beside), || cancel.is_over())?;
    for path in listing.odd {
        reader.leave_out(&path, "it is a link, or nothing that can be read");
    }
    let mut files = listing.files;
    files.retain(|file| {
        let name = file.path.rsplit('/').next().unwrap_or(&file.path);
        if BRIDGE.contains(&file.path.as_str())
            || ignored.ignores(&file.path, false)
            || name == ".DS_Store"
        {
            return false;
        }
        if let Some(why) = secret::by_name(&file.path) {
            reader.leave_out(&file.path, why);
            return false;
        }
        if file.bytes > read::LARGEST {
            reader.leave_out(&file.path, format!("it is larger than {} bytes", read::LARGEST));
            return false;
        }
        if is_binary(name) {
            reader.leave_out(&file.path, "it is not text");
            return false;
        }
        if [".min.js", ".min.css", ".map"].iter().any(|end| name.ends_with(end)) {
            reader.leave_out(&file.path, "it was made by a program");
            return false;
        }
        Class::of(&file.path) != Class::Generated || !name.ends_with(".snap")
    });
    Ok(files)
}

/// Whether a name promises that there is no text inside.
fn is_binary(name: &str) -> bool {
    const ENDS: &[&str] = &[
        "png", "jpg", "jpeg", "gif", "ico", "webp", "bmp", "pdf", "zip", "gz", "tgz", "bz2", "xz",
        "7z", "jar", "war", "class", "o", "a", "so", "dylib", "dll", "exe", "wasm", "pyc", "woff",
        "woff2", "ttf", "otf", "eot", "mp3", "mp4", "mov", "wav", "ogg", "sqlite", "db", "bin",
        "parquet", "mo",
    ];
    let end = name.rsplit_once('.').map(|(_, end)| end.to_ascii_lowercase());
    end.is_some_and(|end| ENDS.contains(&end.as_str()))
}

#[cfg(test)]
mod tests;
