//! Template files: the project's own sources, with placeholders for its names.
//!
//! [`generate`] lists the project, chooses files, reads them, replaces names and reports what users of
//! the result would miss. It writes nothing, follows no link and includes no secret.

mod choose;
mod completeness;
mod entity;
mod ignored;
mod imports;
mod layer;
mod list;
mod read;

use std::{collections::BTreeSet, io, path::Path};

use consign_code::Cancel;

use self::{
    imports::Index,
    list::{Listed, list},
    read::{Taken, TreeReader},
};
use super::{
    analysis::Analysis,
    assemble::safe,
    package::{Encoding, TemplateFile, Templates},
    placeholders::{self, Subject, author_email},
    tree::Tree,
};

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
/// nothing, [`Error::Cancelled`] if the caller cancelled it.
pub fn generate(
    project: &Path,
    analysis: &Analysis,
    most: Option<usize>,
    cancel: &Cancel,
) -> Result<Templates, Error> {
    let unreadable = |source| Error::Unreadable { project: project.display().to_string(), source };
    let tree = Tree::open(project).map_err(unreadable)?;
    let mut reader = TreeReader::new(&tree);
    let Listed { files, all, closed } = list(&tree, &mut reader, cancel).map_err(unreadable)?;
    if cancel.is_cancelled() {
        return Err(Error::Cancelled);
    }
    let mut index = Index::new(all);
    index.close(closed);
    for file in files.iter().filter(|it| it.path.ends_with("go.mod")).take(100) {
        let text = reader.text(&file.path).unwrap_or_default();
        index.go_module(&file.path, &text);
    }
    for file in files.iter().filter(|it| is_named(&it.path, "package.json")).take(500) {
        let text = reader.text(&file.path).unwrap_or_default();
        index.package(&file.path, &text);
    }
    let chosen = choose::choose(&files, analysis, most, &index, &mut reader);
    let wanted: BTreeSet<String> = chosen.iter().cloned().collect();
    let (mut sources, mut pictures) = (Vec::new(), Vec::new());
    for path in chosen {
        if cancel.is_cancelled() {
            return Err(Error::Cancelled);
        }
        match reader.take(&path) {
            Some(Taken::Text(text)) => sources.push((path, text)),
            Some(Taken::Bytes(bytes)) => pictures.push((path, bytes)),
            None => {}
        }
    }
    let why =
        format!("{} files of each layer were chosen; --max-templates says how many", wanted.len());
    for file in files.iter().filter(|file| !wanted.contains(&file.path)) {
        reader.leave_out(&file.path, why.as_str());
    }
    if sources.is_empty() {
        return Err(Error::Empty { project: project.display().to_string() });
    }
    let entity = entity::entity(analysis, &sources);
    let mut scheme = placeholders::scheme(analysis, entity.as_deref());
    let author = scheme.placeholders().iter().find(|it| it.subject == Subject::Author);
    let author = author.map(|it| it.default.clone()).unwrap_or_default();
    let email = sources.iter().find_map(|(path, text)| author_email(path, text, &author));
    if let Some(email) = email {
        scheme = scheme.email(email);
    }
    let completeness =
        completeness::completeness(project, analysis, &index, &sources, &pictures, cancel);
    let executable = |path: &str| {
        let at = files.binary_search_by(|file| file.path.as_str().cmp(path));
        at.is_ok_and(|at| files[at].executable)
    };
    let file = |path: String, encoding, content| TemplateFile {
        path: scheme.generalise_path(&path),
        layer: layer::layer(analysis, &path),
        content,
        encoding,
        executable: executable(&path),
        origin: path,
    };
    let texts = sources.into_iter().map(|(path, text)| {
        let content = scheme.generalise(&path, &text);
        file(path, Encoding::Text, content)
    });
    let pictures = pictures
        .into_iter()
        .map(|(path, bytes)| file(path, Encoding::Base64, TemplateFile::encoded(&bytes)));
    let mut files: Vec<TemplateFile> = texts.chain(pictures).collect();
    files.sort_by(|a, b| a.origin.cmp(&b.origin));
    files.retain(|file| {
        let refused = safe(&format!("templates/{}.template", file.path)).err();
        refused.iter().for_each(|refused| reader.leave_out(&file.origin, refused.why));
        refused.is_none()
    });
    let placeholders = used(&scheme, &files);
    let (left_out, left_out_unnamed) = reader.into_left_out();
    Ok(Templates { files, completeness, placeholders, left_out, left_out_unnamed })
}

fn is_named(path: &str, name: &str) -> bool {
    path.rsplit('/').next() == Some(name)
}

/// The placeholders that some file has. Asking for others would have no effect.
fn used(scheme: &placeholders::Scheme, files: &[TemplateFile]) -> Vec<placeholders::Placeholder> {
    let has = |name: &str| {
        let token = format!("{{{{{name}}}}}");
        let inside = |file: &TemplateFile| file.text().is_some_and(|text| text.contains(&token));
        files.iter().any(|file| inside(file) || file.path.contains(&token))
    };
    scheme.placeholders().iter().filter(|it| has(&it.name)).cloned().collect()
}

#[cfg(test)]
mod tests;
