//! What was read, against what was drawn.

use consign_parsers::{Document, Layout};

/// The share of characters that are right, white space and the marks of Markdown aside.
pub(super) fn characters(drawn: &str, found: &str) -> f64 {
    let bare = |text: &str| {
        let lines = text.lines().filter(|line| !line.contains("| --- |"));
        let letters = lines.flat_map(str::chars);
        letters.filter(|c| !c.is_whitespace() && !matches!(c, '|' | '#' | '\\')).collect::<String>()
    };
    let (drawn, found) = (bare(drawn), bare(found));
    1.0 - strsim::levenshtein(&drawn, &found) as f64 / drawn.chars().count().max(1) as f64
}

/// The cells of many tables.
#[derive(Default)]
pub(super) struct Cells {
    right: usize,
    drawn: usize,
    found: usize,
}

impl Cells {
    /// A cell is right when it says the same in the same row and column of the table that fits best.
    pub(super) fn add(&mut self, drawn: &[Vec<String>], document: &Document) {
        let right = |found: &Vec<Vec<String>>| {
            let rows = drawn.iter().zip(found);
            rows.map(|(one, other)| one.iter().zip(other).filter(|(a, b)| a == b).count())
                .sum::<usize>()
        };
        self.drawn += drawn.iter().map(Vec::len).sum::<usize>();
        let tables = document.blocks.iter().filter(|block| block.layout == Layout::Table);
        let tables = tables.map(|block| cells(document.text_of(block)));
        if let Some(best) = tables.max_by_key(right) {
            self.right += right(&best);
            self.found += best.iter().map(Vec::len).sum::<usize>();
        }
    }

    pub(super) fn f1(&self) -> f64 {
        2.0 * self.right as f64 / (self.drawn + self.found).max(1) as f64
    }
}

fn cells(table: &str) -> Vec<Vec<String>> {
    let rows = table.lines().filter(|line| !line.contains("| --- |"));
    rows.map(|line| {
        let inner = line.trim().trim_start_matches('|').trim_end_matches('|');
        inner.split('|').map(|cell| cell.trim().to_owned()).collect()
    })
    .collect()
}
