//! Updates an existing document section by section, and keeps what people wrote.
//!
//! [`merge`] takes the document that is there, the one that was written, and what is wrong with the first. Front
//! matter, badges, text between `<!-- keep -->` and `<!-- /keep -->`, sections that the new document does not have, and
//! the order of sections survive. Nothing to change gives the same bytes.

use std::{collections::BTreeSet, ops::Range, sync::LazyLock};

use regex::Regex;

use super::{
    Contract, Critique, IssueKind,
    contracts::folded,
    markdown::{Document, Heading},
};

/// Which sections are written anew.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Update {
    /// Sections with issues, required sections that are missing, and sections that Scribe wrote before.
    WhatIsWrong,
    /// All sections that the new document has.
    All,
}

/// What happened to a section.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "lowercase")]
pub enum What {
    Replaced,
    Added,
}

#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
pub struct Changed {
    /// Empty for what stands before the first section.
    pub heading: String,
    pub what: What,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Merged {
    pub text: String,
    /// Empty if the document is left alone, byte for byte.
    pub changes: Vec<Changed>,
}

/// A section: its heading, and its lines from 0.
struct Part {
    heading: Option<Heading>,
    lines: Range<usize>,
}

static BADGE: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?i)^\s*(?:\[?!\[[^\]]*\]\([^)]*(?:badge|shields\.io|\.svg|travis|codecov|/ci)[^)]*\)|<img[^>]*(?:badge|shields\.io)|<a [^>]*>\s*<img[^>]*(?:badge|shields))").expect("the pattern is a constant that a test compiles")
});
const KEEP: &str = "<!-- keep -->";
const KEPT: &str = "<!-- /keep -->";
/// What begins the mark under a section that says who wrote it.
pub const MARK: &str = "<!-- scribe:";

/// The existing document with the new one's sections where they are needed. `critique` is of the existing one.
#[must_use]
pub fn merge(
    existing: &str,
    written: &str,
    contract: Contract,
    critique: &Critique,
    update: Update,
) -> Merged {
    if existing.trim().is_empty() {
        let changes = vec![Changed { heading: String::new(), what: What::Added }];
        return Merged { text: written.to_owned(), changes };
    }
    let (old, new) = (Pieces::read(existing), Pieces::read(written));
    let ending = if existing.contains("\r\n") { "\r\n" } else { "\n" };
    let wrong = wrong_lines(critique, &old);
    let mut texts: Vec<(Option<String>, String)> = Vec::new();
    let mut changes = Vec::new();
    let mut used = BTreeSet::new();
    for part in &old.parts {
        let text = old.text(part);
        let name = part.heading.as_ref().map(|heading| heading.text.clone());
        let found = new
            .parts
            .iter()
            .position(|other| is_same(contract, part.heading.as_ref(), other.heading.as_ref()));
        let other = found.filter(|found| used.insert(*found)).map(|found| &new.parts[found]);
        let is_wrong = part.lines.clone().any(|line| wrong.contains(&line));
        let replaced = other.filter(|_| update == Update::All || is_wrong || text.contains(MARK));
        let result = match replaced {
            Some(other) => replace(&old, part, &new, other, ending),
            None => text.clone(),
        };
        if result != text {
            changes
                .push(Changed { heading: name.clone().unwrap_or_default(), what: What::Replaced });
        }
        texts.push((name, result));
    }
    let missing: Vec<&str> =
        critique.of(IssueKind::Section).map(|issue| issue.reference.as_str()).collect();
    let mut after = 0;
    for (at, part) in new.parts.iter().enumerate() {
        let Some(heading) = &part.heading else { continue };
        if used.contains(&at) {
            let same = |(name, _): &(Option<String>, String)| {
                name.as_ref().is_some_and(|name| {
                    is_same(
                        contract,
                        Some(&Heading { text: name.clone(), ..heading.clone() }),
                        Some(heading),
                    )
                })
            };
            after = texts.iter().position(same).map_or(after, |place| place + 1);
            continue;
        }
        let required = contract
            .sections()
            .iter()
            .find(|section| section.is(&heading.text))
            .map(|section| section.name);
        let is_missing = required.is_some_and(|name| missing.contains(&name))
            || missing.contains(&"Main Content") && required.is_none()
            || missing.contains(&"Versions") && super::contracts::is_version(&heading.text);
        if update == Update::WhatIsWrong && !is_missing {
            continue;
        }
        let place = if after == 0 { texts.len() } else { after };
        changes.push(Changed { heading: heading.text.clone(), what: What::Added });
        texts.insert(place, (Some(heading.text.clone()), with_ending(&new.text(part), ending)));
        after = place + 1;
    }
    if changes.is_empty() {
        return Merged { text: existing.to_owned(), changes };
    }
    Merged { text: joined(&texts, ending), changes }
}

struct Pieces<'a> {
    lines: Vec<&'a str>,
    parts: Vec<Part>,
    front_matter: usize,
}

impl<'a> Pieces<'a> {
    fn read(text: &'a str) -> Self {
        let document = Document::read(text);
        let lines: Vec<&str> = text.split_inclusive('\n').collect();
        let mut starts: Vec<Heading> =
            document.headings.iter().filter(|heading| heading.level == 2).cloned().collect();
        // A document without second levels is split by its first ones, but for the title.
        if starts.is_empty() {
            starts = document
                .headings
                .iter()
                .filter(|heading| heading.level == 1)
                .skip(1)
                .cloned()
                .collect();
        }
        starts.dedup_by_key(|heading| heading.line);
        let mut parts = vec![Part {
            heading: None,
            lines: 0..starts.first().map_or(lines.len(), |first| first.line - 1),
        }];
        for (at, heading) in starts.iter().enumerate() {
            let end = starts.get(at + 1).map_or(lines.len(), |next| next.line - 1);
            parts.push(Part { heading: Some(heading.clone()), lines: heading.line - 1..end });
        }
        Self { lines, parts, front_matter: document.front_matter }
    }

    fn text(&self, part: &Part) -> String {
        self.lines[part.lines.clone()].concat()
    }
}

/// Lines with an issue, from 0, that are not kept for people.
fn wrong_lines(critique: &Critique, pieces: &Pieces<'_>) -> BTreeSet<usize> {
    let mut kept = BTreeSet::new();
    let mut inside = false;
    for (number, line) in pieces.lines.iter().enumerate() {
        inside |= line.contains(KEEP);
        if inside {
            kept.insert(number);
        }
        inside &= !line.contains(KEPT);
    }
    let lines = critique.issues.iter().filter(|issue| issue.line > 0).map(|issue| issue.line - 1);
    lines.filter(|line| !kept.contains(line)).collect()
}

fn is_same(contract: Contract, one: Option<&Heading>, other: Option<&Heading>) -> bool {
    match (one, other) {
        (None, None) => true,
        (Some(one), Some(other)) => {
            let section = |heading: &Heading| {
                contract.sections().iter().position(|section| section.is(&heading.text))
            };
            folded(&one.text) == folded(&other.text)
                || section(one).is_some() && section(one) == section(other)
        }
        _ => false,
    }
}

/// The heading that is there, its badges, the new body, and what is kept.
fn replace(old: &Pieces<'_>, part: &Part, new: &Pieces<'_>, other: &Part, ending: &str) -> String {
    let lines = &old.lines[part.lines.clone()];
    let mut head = String::new();
    let body_from;
    if part.heading.is_some() {
        // A heading may be underlined.
        let underlined = lines.get(1).is_some_and(|line| {
            !lines[0].trim_start().starts_with(['#', '<'])
                && !line.trim().is_empty()
                && line.trim().chars().all(|c| c == '-' || c == '=')
        });
        body_from = 1 + usize::from(underlined);
        head.push_str(&lines[..body_from.min(lines.len())].concat());
    } else {
        let title = lines
            .iter()
            .skip(old.front_matter)
            .position(|line| !line.trim().is_empty())
            .map_or(lines.len(), |at| at + old.front_matter);
        let is_title = lines.get(title).is_some_and(|line| {
            line.trim_start().starts_with("# ") || line.to_lowercase().contains("<h1")
        });
        body_from = if is_title { title + 1 } else { old.front_matter };
        head.push_str(&lines[..body_from].concat());
    }
    if !head.is_empty() && !head.ends_with('\n') {
        head.push_str(ending);
    }
    let rest = &lines[body_from.min(lines.len())..];
    let body = new_body(new, other, is_headed(&head));
    let badges: Vec<&str> = rest
        .iter()
        .copied()
        .filter(|line| BADGE.is_match(line) && !body.contains(line.trim()))
        .collect();
    let kept = kept(&rest.concat());
    let mut text = head;
    let mut add = |piece: &str| {
        if !piece.trim().is_empty() {
            if !text.is_empty() {
                text.push_str(ending);
            }
            text.push_str(with_ending(piece.trim_matches(['\n', '\r']), ending).as_str());
            text.push_str(ending);
        }
    };
    add(&badges.concat());
    // The mark stays the last line of the section.
    let (body, mark) = match body.rfind(MARK) {
        Some(at) if !body[at..].trim_end().contains('\n') => {
            (body[..at].to_owned(), body[at..].trim().to_owned())
        }
        _ => (body, String::new()),
    };
    add(&body);
    for block in kept.iter().filter(|block| !body.contains(block.as_str())) {
        add(block);
    }
    add(&mark);
    let tail = if part.lines.end == old.lines.len() { "" } else { ending };
    text.push_str(tail);
    text
}

fn is_headed(head: &str) -> bool {
    head.lines()
        .any(|line| line.trim_start().starts_with("# ") || line.to_lowercase().contains("<h1"))
}

/// What stands under the heading of a new section; of the lead, what stands under the title if there is one already.
fn new_body(new: &Pieces<'_>, part: &Part, has_title: bool) -> String {
    let lines = &new.lines[part.lines.clone()];
    if part.heading.is_some() {
        return lines[1.min(lines.len())..].concat();
    }
    let lines = &lines[new.front_matter.min(lines.len())..];
    let from =
        lines.iter().position(|line| line.trim_start().starts_with("# ")).map_or(0, |at| at + 1);
    lines[if has_title { from } else { 0 }..].concat()
}

/// The blocks that are kept, with their marks.
fn kept(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut rest = text;
    while let Some(start) = rest.find(KEEP) {
        let end = rest[start..].find(KEPT).map_or(rest.len(), |end| start + end + KEPT.len());
        found.push(rest[start..end].trim_end().to_owned());
        rest = &rest[end..];
    }
    found
}

fn with_ending(text: &str, ending: &str) -> String {
    let plain = text.replace("\r\n", "\n");
    if ending == "\n" { plain } else { plain.replace('\n', ending) }
}

/// Sections with a blank line between them.
fn joined(texts: &[(Option<String>, String)], ending: &str) -> String {
    let mut out = String::new();
    for (_, text) in texts {
        if !out.is_empty() && !text.is_empty() {
            if !out.ends_with('\n') {
                out.push_str(ending);
            }
            if !out.ends_with("\n\n") && !out.ends_with("\r\n\r\n") {
                out.push_str(ending);
            }
        }
        out.push_str(text);
    }
    if !out.ends_with('\n') {
        out.push_str(ending);
    }
    out
}
