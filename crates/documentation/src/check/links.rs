//! Links inside of the repository, and anchors.

use super::{Checker, IssueKind};
use crate::{facts::is_prose, markdown::Document};

pub(super) fn look_up(checker: &mut Checker<'_>, document: &Document) {
    for link in &document.links {
        if link.by_label {
            let label = link.target.to_lowercase();
            // `array[i][j]` is no link; a label in prose has words before it.
            if !document.labels.contains(&label)
                && !link.text.is_empty()
                && link.text.len() > 1
                && is_label(&label)
                && uses_labels(document)
            {
                checker.note_certain(
                    false,
                    IssueKind::Link,
                    link.line,
                    &format!("[{}][{}]", link.text, link.target),
                    None,
                );
            }
            continue;
        }
        let target = link.target.trim();
        if target.is_empty()
            || is_outside(target)
            || super::is_placeholder(target.split('#').next().unwrap_or(""))
                && !target.ends_with(".md")
        {
            look_up_hosted(checker, link.line, target);
            continue;
        }
        let (file, anchor) =
            target.split_once('#').map_or((target, None), |(file, anchor)| (file, Some(anchor)));
        let file = decoded(file.split('?').next().unwrap_or(file));
        if file.is_empty() {
            if let Some(anchor) = anchor.filter(|anchor| !anchor.is_empty() && !is_special(anchor))
            {
                let found = has_anchor(document, anchor);
                let fix = checker
                    .facts
                    .index
                    .nearest(anchor, document.anchors.iter().map(String::as_str));
                checker.note_certain(
                    found,
                    IssueKind::Link,
                    link.line,
                    target,
                    fix.map(|fix| format!("#{fix}")),
                );
            }
            continue;
        }
        let Some(path) = resolve(checker.folder(), &file) else {
            // It leads out of the repository; on a forge that may be another page.
            continue;
        };
        // A name of Sphinx or rustdoc is resolved by them: no extension, and a first part that is no folder here.
        let first = file.split('/').next().unwrap_or(&file);
        let is_label =
            file.contains('/') && !file.contains('.') && !checker.facts.index.has_name(first);
        if is_rustdoc(&file) || is_label {
            continue;
        }
        // A site may have its root in the folder of its documents.
        let site = checker.folder().split('/').next().filter(|_| file.starts_with('/'));
        let found = exists(checker, &path)
            || site
                .is_some_and(|site| !site.is_empty() && exists(checker, &format!("{site}/{path}")));
        let fix = if found { None } else { nearest_path(checker, &path) };
        checker.note(found, IssueKind::Link, link.line, target, fix);
        if let Some((text, anchor)) = checker
            .snapshot
            .files
            .get(&path)
            .filter(|file| !file.cut)
            .map(|file| file.text.as_str())
            .zip(anchor.filter(|anchor| !anchor.is_empty() && !is_special(anchor)))
            && is_prose(&path)
            && path.to_lowercase().ends_with(".md")
        {
            let other = Document::read(text);
            let found = has_anchor(&other, anchor);
            checker.note_certain(found, IssueKind::Link, link.line, target, None);
        }
    }
}

/// Whether some link of the document finds its label.
fn uses_labels(document: &Document) -> bool {
    let mut by_label = document.links.iter().filter(|link| link.by_label);
    by_label.any(|link| document.labels.contains(&link.target.to_lowercase()))
}

fn is_label(label: &str) -> bool {
    label.len() > 1
        && !label.bytes().all(|byte| byte.is_ascii_digit())
        && !label.contains(['=', '(', '"', '\'', ',', ':', '`'])
}

/// A link to the repository's own files on a forge.
fn look_up_hosted(checker: &mut Checker<'_>, line: usize, target: &str) {
    let (owner, name) = (&checker.snapshot.owner, &checker.snapshot.name);
    if owner.is_empty() || name.is_empty() {
        return;
    }
    let start = format!("github.com/{owner}/{name}/");
    let Some((_, rest)) = target.split_once(&start) else { return };
    let mut parts = rest.splitn(3, '/');
    let (Some("blob" | "tree" | "raw"), Some(branch), Some(path)) =
        (parts.next(), parts.next(), parts.next())
    else {
        return;
    };
    if !["main", "master", "HEAD", "develop"].contains(&branch) {
        return;
    }
    let path = decoded(path.split(['#', '?']).next().unwrap_or(path));
    let path = path.trim_end_matches('/').to_owned();
    let found = checker.facts.index.has_path(&path);
    let fix = if found { None } else { nearest_path(checker, &path) };
    checker.note(found, IssueKind::Link, line, target, fix);
}

fn nearest_path(checker: &Checker<'_>, path: &str) -> Option<String> {
    checker.facts.index.nearest(path, checker.snapshot.paths()).map(str::to_owned)
}

fn is_outside(target: &str) -> bool {
    let scheme = target.split(':').next().filter(|scheme| scheme.len() < target.len());
    target.starts_with("//")
        || target.starts_with('/') && target.len() < 2
        || scheme.is_some_and(|scheme| {
            !scheme.is_empty()
                && scheme.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"+-.".contains(&byte))
        })
        || target.starts_with("www.")
        || target.contains("{{")
        || target.starts_with('$')
}

/// A link of rustdoc or of an extension of Markdown.
fn is_rustdoc(file: &str) -> bool {
    file.contains("::")
        || file.starts_with("crate")
        || file.ends_with("()")
        || file.ends_with('!')
        || (!file.contains(['.', '/'])
            && file.starts_with(char::is_uppercase)
            && file.chars().any(char::is_lowercase))
        || file.starts_with("struct.")
        || file.starts_with("trait.")
        || file.starts_with("enum.")
        || file.starts_with("fn.")
        || file.starts_with("macro.")
}

/// Anchors that a forge makes: lines, and places of its own pages.
fn is_special(anchor: &str) -> bool {
    let line =
        anchor.strip_prefix('L').is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()));
    line || ["readme", "top", "start-of-content"].contains(&anchor.to_lowercase().as_str())
        || anchor.starts_with(":~:")
        || anchor.starts_with('/')
        || anchor.starts_with('!')
}

/// Without the hyphens that renderers make of signs and emoji, in small letters.
fn has_anchor(document: &Document, anchor: &str) -> bool {
    let plain = |anchor: &str| {
        decoded(anchor)
            .to_lowercase()
            .trim_start_matches("user-content-")
            .chars()
            .filter(|c| c.is_alphanumeric())
            .collect::<String>()
    };
    let wanted = plain(anchor);
    document.anchors.iter().any(|known| plain(known) == wanted)
}

fn decoded(text: &str) -> String {
    let bytes = text.as_bytes();
    let (mut out, mut at) = (Vec::with_capacity(bytes.len()), 0);
    while at < bytes.len() {
        let hex = text
            .get(at + 1..at + 3)
            .filter(|_| bytes[at] == b'%')
            .and_then(|hex| u8::from_str_radix(hex, 16).ok());
        out.push(hex.unwrap_or(bytes[at]));
        at += if hex.is_some() { 3 } else { 1 };
    }
    String::from_utf8_lossy(&out).into_owned()
}

/// The path from the root; `None` if it leads out.
fn resolve(folder: &str, target: &str) -> Option<String> {
    let joined = match target.strip_prefix('/') {
        Some(rooted) => rooted.to_owned(),
        None => format!("{folder}{target}"),
    };
    let mut parts: Vec<&str> = Vec::new();
    for part in joined.split('/') {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop()?;
            }
            part => parts.push(part),
        }
    }
    Some(parts.join("/"))
}

fn exists(checker: &Checker<'_>, path: &str) -> bool {
    let index = &checker.facts.index;
    // Sites leave out extensions.
    index.has_path(path)
        || [".md", ".mdx", "/index.md", "/README.md"]
            .iter()
            .any(|end| index.has_path(&format!("{path}{end}")))
        || path.strip_suffix(".html").is_some_and(|stem| index.has_path(&format!("{stem}.md")))
        || path.strip_suffix('/').is_some_and(|path| index.has_path(path))
        || path == checker.path
}
