//! The text for the parser, with everything that was taken out of it.

use std::collections::{BTreeMap, HashSet};

/// What the parser gets, and what belongs to it.
#[derive(Debug, Default)]
pub(super) struct Prepared {
    pub(super) lines: Vec<String>,
    /// Where each line begins in the text.
    pub(super) starts: Vec<usize>,
    /// The author's line of each line.
    pub(super) origin: Vec<u32>,
    /// How many lines the author wrote.
    pub(super) written: u32,
    /// Tables and doc strings, by the line above them.
    pub(super) arguments: BTreeMap<usize, Argument>,
    /// Descriptions in English, by the line of their header.
    pub(super) descriptions: BTreeMap<usize, String>,
    /// Lines that nobody wrote. The parser would swallow the next header without them.
    pub(super) fillers: HashSet<usize>,
}

#[derive(Debug)]
pub(super) enum Argument {
    Table {
        rows: Vec<Vec<String>>,
        /// The first line with another number of cells than the first row.
        ragged: Option<u32>,
    },
    DocString(String),
}

impl Prepared {
    pub(super) fn text(&self) -> String {
        self.text_before(self.lines.len())
    }

    pub(super) fn text_before(&self, end: usize) -> String {
        let mut text = self.lines[..end].join("\n");
        text.push('\n');
        text
    }

    /// Where a shorter text could end: after every line that is no tag.
    pub(super) fn ends(&self) -> impl Iterator<Item = usize> {
        let lines = self.lines.iter().enumerate();
        lines.filter(|(_, line)| !line.starts_with('@')).map(|(at, _)| at + 1)
    }

    pub(super) fn line_before(&self, end: usize) -> (u32, &str) {
        (self.origin[end - 1], &self.lines[end - 1])
    }

    /// The line after the last, which is where a file that ends too early is to blame.
    pub(super) fn end_of_file(&self) -> u32 {
        self.written + 1
    }

    /// The prepared line at a place of [`Prepared::text`].
    pub(super) fn line_at(&self, offset: usize) -> usize {
        self.starts.partition_point(|start| *start <= offset).saturating_sub(1)
    }

    pub(super) fn argument(&self, lines: std::ops::Range<usize>) -> Option<&Argument> {
        self.arguments.range(lines).next().map(|(_, argument)| argument)
    }

    pub(super) fn description(&self, line: usize) -> Option<&str> {
        self.descriptions.get(&line).map(String::as_str)
    }

    pub(super) fn is_filler(&self, line: usize) -> bool {
        self.fillers.contains(&line)
    }

    pub(super) fn push(&mut self, line: &str, origin: u32) -> usize {
        self.lines.push(line.to_owned());
        self.origin.push(origin);
        self.lines.len() - 1
    }

    pub(super) fn fill(&mut self, line: &str, origin: u32) {
        let at = self.push(line, origin);
        self.fillers.insert(at);
    }
}
