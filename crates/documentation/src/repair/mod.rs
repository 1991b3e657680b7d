//! Takes out of a written document what the check did not find, and puts in what it lacks.
//!
//! Use it on what Scribe wrote, before [`merge`](super::merge): [`remove_invented`] takes a document and its critique, and
//! removes the smallest part that holds each wrong reference: a link's target, a sentence, an item, a row, a
//! command, a block, a section. [`add_missing`] then takes required sections from the writer by rules. Neither invents
//! anything, and text between `<!-- keep -->` marks is never touched. Check the result again: what could not be taken
//! out is still an issue.

mod cut;
mod prose;

use std::ops::Range;

use self::cut::Cut;
use super::{
    Contract, Critique, IssueKind,
    markdown::{Document, Heading},
    merge::{self, MARK, Update},
};

/// Something that was taken out of a document.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
pub struct Removed {
    /// Of the document before, from 1.
    pub line: usize,
    pub kind: IssueKind,
    pub reference: String,
    pub what: Taken,
}

/// What went with a reference.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, serde::Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Taken {
    /// A version was put right; nothing was taken out.
    Corrected,
    /// The text of a link stayed.
    Link,
    Sentence,
    Line,
    Block,
    Section,
}

/// The document without the references that its critique names, and what was taken out. The critique must be of this text.
#[must_use]
pub fn remove_invented(text: &str, critique: &Critique) -> (String, Vec<Removed>) {
    let document = Document::read(text);
    let lines = Lines::of(text);
    let kept = kept(text, &document, &lines);
    let mut cuts: Vec<Cut> = Vec::new();
    let mut removed = Vec::new();
    for issue in critique.issues.iter().filter(|issue| issue.line > 0) {
        if issue.kind == IssueKind::Section {
            continue;
        }
        let found: Vec<Cut> = cut::find(text, &document, &lines, issue)
            .into_iter()
            .filter(|cut| {
                !kept.iter().any(|kept| kept.start < cut.range.end && cut.range.start < kept.end)
            })
            .collect();
        if let Some(first) = found.first() {
            let (line, kind, reference) = (issue.line, issue.kind, issue.reference.clone());
            removed.push(Removed { line, kind, reference, what: first.taken });
        }
        cuts.extend(found);
    }
    if cuts.is_empty() {
        return (text.to_owned(), removed);
    }
    cut::whole_blocks(text, &document, &lines, &mut cuts);
    let out = without_empty_sections(&cut::apply(text, cuts), &document, text);
    (out, removed)
}

/// The document with the sections that its contract wants and it lacks, from `by_rules`, and their headings.
#[must_use]
pub fn add_missing(
    text: &str,
    by_rules: &str,
    contract: Contract,
    critique: &Critique,
) -> (String, Vec<String>) {
    let sections = critique.of(IssueKind::Section).cloned().collect();
    let critique = Critique { issues: sections, ..critique.clone() };
    if critique.is_clean() {
        return (text.to_owned(), Vec::new());
    }
    let merged = merge::merge(text, by_rules, contract, &critique, Update::WhatIsWrong);
    let added = merged.changes.into_iter().filter(|change| change.what == merge::What::Added);
    (merged.text, added.map(|change| change.heading).collect())
}

/// The first byte of each line, and the end.
struct Lines(Vec<usize>);

impl Lines {
    fn of(text: &str) -> Self {
        let mut starts = vec![0];
        starts.extend(text.match_indices('\n').map(|(at, _)| at + 1));
        if !text.ends_with('\n') {
            starts.push(text.len());
        }
        Self(starts)
    }

    /// The bytes of lines, counted from 1, with the last one.
    fn bytes(&self, first: usize, last: usize) -> Range<usize> {
        let end = self.0.len() - 1;
        self.0[first.saturating_sub(1).min(end)]..self.0[last.min(end)]
    }

    fn count(&self) -> usize {
        self.0.len() - 1
    }
}

/// What people keep; with an open mark, all behind it.
fn kept(text: &str, document: &Document, lines: &Lines) -> Vec<Range<usize>> {
    let mut found: Vec<Range<usize>> = Vec::new();
    let mut open = false;
    for comment in &document.comments {
        let start = lines.bytes(comment.line, comment.line).start;
        match comment.inner() {
            "keep" if !open => {
                found.push(start..text.len());
                open = true;
            }
            "/keep" if open => {
                open = false;
                if let Some(last) = found.last_mut() {
                    last.end = lines.bytes(comment.end_line, comment.end_line).end;
                }
            }
            _ => {}
        }
    }
    found
}

/// Headings that had text under them, and have none now, go too.
fn without_empty_sections(text: &str, before: &Document, old: &str) -> String {
    let mut text = text.to_owned();
    let old_lines: Vec<&str> = old.lines().collect();
    let had_text = |heading: &Heading| {
        let same = |at: &usize| before.headings[*at].text == heading.text;
        (0..before.headings.len()).filter(same).any(|at| !is_empty(before, &old_lines, at))
    };
    loop {
        let document = Document::read(&text);
        let lines: Vec<&str> = text.lines().collect();
        let empty = (0..document.headings.len()).rev().find(|at| {
            let heading = &document.headings[*at];
            heading.level > 1 && is_empty(&document, &lines, *at) && had_text(heading)
        });
        let Some(at) = empty else { return text };
        let starts = Lines::of(&text);
        let first = document.headings[at].line;
        let last = document.headings.get(at + 1).map_or(starts.count(), |next| next.line - 1);
        text.replace_range(starts.bytes(first, last), "");
        let end = text.trim_end().len();
        if at + 1 >= document.headings.len() && end < text.len() {
            text.truncate(end);
            text.push('\n');
        }
    }
}

/// Whether nothing stands under a heading, not even a deeper heading.
fn is_empty(document: &Document, lines: &[&str], at: usize) -> bool {
    let heading = &document.headings[at];
    let next = document.headings.get(at + 1);
    if next.is_some_and(|next| next.level > heading.level) {
        return false;
    }
    let end = next.map_or(lines.len(), |next| next.line - 1).max(heading.line);
    lines.get(heading.line..end).unwrap_or_default().iter().all(|line| {
        let line = line.trim();
        line.is_empty() || line.starts_with(MARK) || line.chars().all(|c| c == '-' || c == '=')
    })
}
