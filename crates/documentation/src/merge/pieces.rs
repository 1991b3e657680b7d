//! A document taken apart: sections by heading, and what is kept for people.

use std::ops::Range;

use crate::{
    Critique,
    markdown::{Document, Heading},
};

/// A section: its heading, and its lines from 0.
pub(super) struct Part {
    pub heading: Option<Heading>,
    pub lines: Range<usize>,
}

pub(super) struct Pieces<'a> {
    pub text: &'a str,
    pub document: Document,
    pub parts: Vec<Part>,
    /// Bytes between `<!-- keep -->` and `<!-- /keep -->`, with the marks.
    pub kept: Vec<Range<usize>>,
    /// The first byte of each line, and the end.
    starts: Vec<usize>,
}

impl<'a> Pieces<'a> {
    /// Refuses a text in which something is open that swallows what stands behind it: where its sections end cannot
    /// be known.
    pub(super) fn read(text: &'a str) -> Result<Self, &'static str> {
        let document = Document::read(text);
        if document.blocks.iter().any(|block| !block.closed) {
            return Err("a block of code is not closed");
        }
        if document.comments.iter().any(|comment| !comment.closed) {
            return Err("a comment is not closed");
        }
        let mut starts = vec![0];
        starts.extend(text.match_indices('\n').map(|(at, _)| at + 1));
        if !text.ends_with('\n') {
            starts.push(text.len());
        }
        let kept = kept(text, &document, &starts)?;
        let mut pieces = Self { text, document, parts: Vec::new(), kept, starts };
        pieces.parts = pieces.split();
        Ok(pieces)
    }

    fn split(&self) -> Vec<Part> {
        let lines = self.starts.len() - 1;
        let headings = self.document.headings.iter().filter(|heading| heading.level <= 2);
        let mut starts: Vec<Heading> =
            headings.filter(|heading| !self.is_kept(heading.line - 1)).cloned().collect();
        // The title begins no section.
        if starts.first().is_some_and(|first| first.level == 1) {
            starts.remove(0);
        }
        starts.dedup_by_key(|heading| heading.line);
        let first = starts.first().map_or(lines, |first| first.line - 1);
        let mut parts = vec![Part { heading: None, lines: 0..first }];
        for (at, heading) in starts.iter().enumerate() {
            let end = starts.get(at + 1).map_or(lines, |next| next.line - 1);
            parts.push(Part { heading: Some(heading.clone()), lines: heading.line - 1..end });
        }
        parts
    }

    /// The bytes of lines, with their ends.
    pub(super) fn bytes(&self, lines: &Range<usize>) -> Range<usize> {
        let last = self.starts.len() - 1;
        self.starts[lines.start.min(last)]..self.starts[lines.end.min(last)]
    }

    pub(super) fn slice(&self, lines: &Range<usize>) -> &'a str {
        &self.text[self.bytes(lines)]
    }

    pub(super) fn line(&self, line: usize) -> &'a str {
        self.slice(&(line..line + 1))
    }

    /// Whether a line is, or is in part, kept for people.
    pub(super) fn is_kept(&self, line: usize) -> bool {
        let bytes = self.bytes(&(line..line + 1));
        self.kept.iter().any(|kept| kept.start < bytes.end && bytes.start < kept.end)
    }

    /// Whether a line is not kept, not code, and in no comment of several lines.
    pub(super) fn is_prose(&self, line: usize) -> bool {
        let number = line + 1;
        let in_block =
            self.document.blocks.iter().any(|block| {
                block.line <= number && number < block.line + block.text.lines().count()
            });
        let in_comment = self.document.comments.iter().any(|comment| {
            comment.line < comment.end_line && (comment.line..=comment.end_line).contains(&number)
        });
        !in_block && !in_comment && !self.is_kept(line)
    }

    /// The kept blocks of a part.
    pub(super) fn kept_of(&self, part: &Part) -> Vec<&'a str> {
        let bytes = self.bytes(&part.lines);
        let inside =
            self.kept.iter().filter(|kept| bytes.start <= kept.start && kept.end <= bytes.end);
        inside.map(|kept| &self.text[kept.clone()]).collect()
    }

    /// Whether a part has an issue that people did not keep for themselves.
    pub(super) fn is_wrong(&self, part: &Part, critique: &Critique) -> bool {
        let lines =
            critique.issues.iter().filter(|issue| issue.line > 0).map(|issue| issue.line - 1);
        lines.into_iter().any(|line| part.lines.contains(&line) && !self.is_kept(line))
    }

    /// The heading's lines of a part, and of the lead what stands above its title.
    pub(super) fn head(&self, part: &Part) -> Range<usize> {
        let front = self.document.front_matter.min(part.lines.end);
        let from = part.lines.start;
        let title = match &part.heading {
            Some(heading) => Some(heading),
            None => self.document.headings.iter().find(|heading| {
                heading.level == 1
                    && heading.line <= part.lines.end
                    && !self.is_kept(heading.line - 1)
            }),
        };
        let Some(line) = title.map(|heading| heading.line - 1) else { return from..front };
        let first = self.line(line).trim_start();
        let mut end = line + 1;
        if first.to_lowercase().contains("<h") && !first.starts_with('#') {
            while end < part.lines.end && !self.line(end - 1).to_lowercase().contains("</h") {
                end += 1;
            }
        } else if !first.starts_with(['#', '>']) {
            // It is underlined.
            end += 1;
        }
        from..end.min(part.lines.end)
    }
}

fn kept(
    text: &str,
    document: &Document,
    starts: &[usize],
) -> Result<Vec<Range<usize>>, &'static str> {
    let (mut found, mut open): (Vec<Range<usize>>, Option<usize>) = (Vec::new(), None);
    for comment in &document.comments {
        match (comment.inner(), open) {
            ("keep", None) => {
                let line = starts[comment.line - 1];
                let at = line + comment.column;
                open = Some(if text[line..at].trim().is_empty() { line } else { at });
            }
            ("/keep", Some(start)) => {
                found.push(start..starts[comment.end_line - 1] + comment.end_column);
                open = None;
            }
            ("keep" | "/keep", _) => return Err("the marks of a kept block do not match"),
            _ => {}
        }
    }
    if open.is_some() { Err("a kept block is not closed") } else { Ok(found) }
}
