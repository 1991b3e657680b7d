//! Word and PowerPoint: archives of XML.
//!
//! Macros, embedded programs and addresses of pictures are never followed: only the parts that hold text are read.

mod docx;
mod pptx;
mod xml;

pub(crate) use self::{docx::read as docx, pptx::read as pptx};

use std::collections::HashMap;

use self::xml::Element;
use crate::{ParseError, archive::Archive, document::Writer, options::Options};

/// A part as a tree. None when it is missing.
fn part(
    archive: &Archive<'_>,
    name: &str,
    options: &Options,
    writer: &mut Writer,
) -> Result<Option<Element>, ParseError> {
    let Some(unpacked) = archive.read(name, &options.limits)? else { return Ok(None) };
    let tree = xml::read(&unpacked.bytes, &options.limits)?;
    if unpacked.cut || tree.cut {
        writer.warn(format!("the file is damaged: {name} is read as far as it goes"));
    }
    Ok(Some(tree.root))
}

/// The relationships of a part: their ids, and the parts they lead to. Those that lead out of the file keep their
/// address.
fn relationships(
    archive: &Archive<'_>,
    of: &str,
    options: &Options,
    writer: &mut Writer,
) -> Result<HashMap<String, Relationship>, ParseError> {
    let (folder, file) = of.rsplit_once('/').unwrap_or(("", of));
    let name = format!("{folder}/_rels/{file}.rels");
    let Some(root) = part(archive, name.trim_start_matches('/'), options, writer)? else {
        return Ok(HashMap::new());
    };
    let mut found = HashMap::new();
    for element in root.child("Relationships").into_iter().flat_map(Element::elements) {
        let (Some(id), Some(target)) = (element.attribute("Id"), element.attribute("Target"))
        else {
            continue;
        };
        let outside = element.attribute("TargetMode") == Some("External");
        let kind = element.attribute("Type").unwrap_or("").rsplit('/').next().unwrap_or("");
        let target = if outside { target.to_owned() } else { resolve(folder, target) };
        found.insert(id.to_owned(), Relationship { kind: kind.to_owned(), target, outside });
    }
    Ok(found)
}

struct Relationship {
    kind: String,
    target: String,
    outside: bool,
}

/// The name of a part, from the folder of the one that leads to it. It is looked up in the archive and nowhere else.
fn resolve(folder: &str, target: &str) -> String {
    let mut parts: Vec<&str> = Vec::new();
    if !target.starts_with('/') {
        parts.extend(folder.split('/').filter(|part| !part.is_empty()));
    }
    for part in target.split('/') {
        match part {
            "" | "." => {}
            ".." => drop(parts.pop()),
            part => parts.push(part),
        }
    }
    parts.join("/")
}

/// What the file says about itself.
pub(crate) fn properties(
    archive: &Archive<'_>,
    options: &Options,
    writer: &mut Writer,
) -> Result<(), ParseError> {
    let Some(root) = part(archive, "docProps/core.xml", options, writer)? else { return Ok(()) };
    let Some(core) = root.child("coreProperties") else { return Ok(()) };
    for (name, fact) in [
        ("title", "title"),
        ("creator", "author"),
        ("subject", "subject"),
        ("keywords", "keywords"),
        ("description", "description"),
        ("created", "created"),
        ("modified", "modified"),
        ("language", "language"),
    ] {
        let Some(element) = core.child(name) else { continue };
        if fact == "title" {
            writer.title(&element.text());
        } else {
            writer.fact(fact, &element.text());
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_target_is_a_name_in_the_archive() {
        assert_eq!(resolve("ppt/slides", "../notesSlides/n1.xml"), "ppt/notesSlides/n1.xml");
        assert_eq!(resolve("ppt", "/word/x.xml"), "word/x.xml");
        assert_eq!(resolve("a", "../../../etc/passwd"), "etc/passwd");
    }
}
