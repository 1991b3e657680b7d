//! What is said and where it leads: claims, paths, links, sections, and the form of blocks.

use std::sync::LazyLock;

use consign_documentation::Contract;
use regex::Regex;

use super::{Broken, Page, SPAN, each, moved, pattern};
use crate::scribe::corpus::Repository;

patterns! {
    LINK = r"\]\(((?:\.{1,2}/)*[A-Za-z0-9_][A-Za-z0-9_./-]*\.[A-Za-z]+)(?:#[\w-]+)?\)";
    ANCHOR = r"\]\(#([a-z][\w-]+)\)";
    LICENCE = r"(?i)(?:licensed|released|distributed|available) under (?:the )?\[?(?:terms of )?(?:the )?\[?(MIT|BSD|Apache|ISC|Unlicense|MPL)|badge/license-(MIT|BSD|Apache|ISC)";
}

pub(super) fn claims(page: &Page<'_>, repository: &Repository, found: &mut Vec<Broken>) {
    let major: u64 = repository
        .entry
        .version
        .split('.')
        .next()
        .and_then(|major| major.parse().ok())
        .unwrap_or(0);
    for package in &repository.entry.packages {
        let form = format!(
            r#"(?m)\b{}(?: = "|@|==| = \{{ version = "|": "\^?)(\d+(?:\.\d+)*)"#,
            regex::escape(package)
        );
        if let Ok(form) = Regex::new(&form) {
            each(page, &form, 1, "stale version", found, |_, _, _| {
                Some(format!("{}.0", major + 7))
            });
        }
    }
    // A sentence that was never true, below the first paragraph; if a manifest says what is true.
    let manifests =
        ["Cargo.toml", "package.json", "pyproject.toml", "setup.cfg", "CMakeLists.txt", "PKG-INFO"];
    let mut manifests = manifests.iter().filter_map(|path| repository.snapshot.text(path));
    if page.headings().first().is_some_and(|(_, level, _)| *level == 1)
        && manifests.any(|text| text.contains(&repository.entry.version))
    {
        let end = page.text.find("\n\n").map_or(page.text.len(), |end| end + 1);
        let claim = format!("\nThe latest version is {}.3.1.\n", major + 2);
        let mut broken = page.changed("stale version", end..end, &claim);
        (broken.line, broken.reach) = (broken.line + 1, 2);
        found.push(broken);
    }
    // An endpoint that no code has, in a sentence of its own.
    if page.headings().first().is_some_and(|(_, level, _)| *level == 1) {
        let end = page.text.find("\n\n").map_or(page.text.len(), |end| end + 1);
        let claim = "\nIt answers `GET /melted-coins/42`.\n";
        let mut broken = page.changed("invented endpoint", end..end, claim);
        (broken.line, broken.reach) = (broken.line + 1, 2);
        found.push(broken);
    }
    let licences: String = repository
        .snapshot
        .files
        .iter()
        .filter(|(path, _)| path.to_lowercase().starts_with("licen"))
        .map(|(_, file)| file.text.as_str())
        .collect();
    each(page, &LICENCE, 1, "wrong licence", found, |words, _, _| {
        let other = if licences.contains("Mozilla") { "AGPL-3.0" } else { "MPL-2.0" };
        (!words[1].is_empty()).then(|| other.to_owned())
    });
}

pub(super) fn paths(
    page: &Page<'_>,
    folder: &str,
    repository: &Repository,
    found: &mut Vec<Broken>,
) {
    each(page, &SPAN, 1, "wrong path", found, |words, block, _| {
        let path = &words[1];
        let here = format!("{folder}/{path}");
        let is_there =
            repository.has_path(path.trim_start_matches("./")) || repository.has_path(&here);
        (block.is_none() && path.contains('/') && path.contains('.') && is_there)
            .then(|| moved(path))
    });
}

pub(super) fn links(
    page: &Page<'_>,
    folder: &str,
    repository: &Repository,
    found: &mut Vec<Broken>,
) {
    let joined = |target: &str| {
        let mut parts: Vec<&str> = folder.split('/').filter(|part| !part.is_empty()).collect();
        for part in target.split('/') {
            match part {
                "." | "" => {}
                ".." => drop(parts.pop()),
                part => parts.push(part),
            }
        }
        parts.join("/")
    };
    each(page, &LINK, 1, "dead link", found, |words, block, _| {
        (block.is_none() && repository.has_path(&joined(&words[1]))).then(|| moved(&words[1]))
    });
    let (owner, name) =
        (regex::escape(&repository.snapshot.owner), regex::escape(&repository.snapshot.name));
    let hosted =
        format!(r"github\.com/{owner}/{name}/(?:blob|tree)/(?:master|main|HEAD)/([\w./-]+\.\w+)");
    if let Ok(form) = Regex::new(&hosted) {
        each(page, &form, 1, "dead link", found, |words, block, _| {
            (block.is_none() && repository.has_path(&words[1])).then(|| moved(&words[1]))
        });
    }
    let anchors: Vec<String> = page
        .headings()
        .iter()
        .map(|(_, _, text)| {
            let kept = |c: &char| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_');
            text.to_lowercase().chars().filter(kept).collect::<String>().replace(' ', "-")
        })
        .collect();
    each(page, &ANCHOR, 1, "dead anchor", found, |words, block, _| {
        let is_there = anchors.iter().any(|anchor| anchor == &words[1]);
        (block.is_none() && is_there).then(|| format!("{}-as-it-was", &words[1]))
    });
}

/// The document without a required section, where no other heading can stand for it.
pub(super) fn sections(path: &str, page: &Page<'_>, found: &mut Vec<Broken>) {
    let headings = page.headings();
    for section in Contract::of(path).sections() {
        let words: Vec<String> = std::iter::once(section.name)
            .chain(section.synonyms.iter().copied())
            .map(str::to_lowercase)
            .collect();
        let fitting: Vec<usize> = (0..headings.len())
            .filter(|at| {
                words.iter().any(|word| headings[*at].2.to_lowercase().contains(word.as_str()))
            })
            .collect();
        let [at] = fitting.as_slice() else { continue };
        let (number, level, text) = &headings[*at];
        let exact = words.contains(&text.to_lowercase());
        if *level < 2 || !exact || page.text.contains("<h2") {
            continue;
        }
        let end = headings[at + 1..]
            .iter()
            .find(|next| next.1 <= *level)
            .map_or(page.text.len(), |next| page.starts[next.0]);
        let mut broken = page.changed("missing section", page.starts[*number]..end, "");
        broken.from.clone_from(text);
        found.push(broken);
    }
}

/// Blocks without their last bracket or quote.
pub(super) fn blocks(page: &Page<'_>, found: &mut Vec<Broken>) {
    for block in &page.blocks {
        let end = page.starts[block.lines.end];
        let start = page.starts[block.lines.start];
        let text = &page.text[start..end];
        let even =
            |one: char, other: char| text.matches(one).count() == text.matches(other).count();
        let whole = even('(', ')')
            && even('{', '}')
            && even('[', ']')
            && text.matches('"').count().is_multiple_of(2);
        if !whole || text.contains("...") || text.contains('…') || block.info.contains("ignore") {
            continue;
        }
        let marks: &[char] = match block.language.as_str() {
            "json" => &['}', ']'],
            "toml" => &['"', ']'],
            "rust" | "js" | "javascript" | "ts" | "typescript" | "python" | "py" | "go" => {
                &[')', '}']
            }
            _ => continue,
        };
        let kind = if matches!(block.language.as_str(), "json" | "toml") {
            "broken data"
        } else {
            "broken code"
        };
        if kind == "broken data"
            && block.language == "json"
            && serde_json::from_str::<serde_json::Value>(text).is_err()
        {
            continue;
        }
        let Some(at) = text.rfind(marks).map(|at| start + at) else { continue };
        // A bracket in a comment breaks nothing.
        let line = page.lines[page.line_of(at)];
        if line.contains("//") || line.contains('#') {
            continue;
        }
        let mut broken = page.changed(kind, at..at + 1, "");
        broken.line = block.lines.start + 1;
        found.push(broken);
    }
    // The last block swallows the rest.
    if let Some(last) = page.blocks.last().filter(|last| last.lines.end + 1 < page.lines.len()) {
        let at = page.starts[last.lines.end];
        let end = page.starts[last.lines.end + 1];
        let mut broken = page.changed("open block", at..end, "");
        (broken.line, broken.reach) = (last.lines.start, 1);
        found.push(broken);
    }
}
