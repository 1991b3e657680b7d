//! Answers as values: lines with what they cite, in blocks.
//!
//! An extractive answer is made as such a value, the text of a model is read into one ([`Answer::parse`]); both are
//! checked in this form and only then written ([`crate::shape()`]).

use std::ops::Range;

use serde::{Deserialize, Serialize};

use crate::{passage::Citation, sentences};

/// An answer, from whoever made it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Answer {
    pub blocks: Vec<Block>,
    pub citations: Vec<Citation>,
}

/// A paragraph, or the lines of a list.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Block {
    /// What it is about, where an answer has several.
    pub title: Option<String>,
    pub lines: Vec<Line>,
    /// Whether its lines stand below each other.
    pub list: bool,
}

/// A sentence, without marks.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Line {
    pub text: String,
    /// Places in [`Answer::citations`].
    pub cites: Vec<usize>,
    pub kind: Kind,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// Says a fact: it is checked.
    Claim,
    /// Says a fact that goes with a claim, for who wants to know more.
    Context,
    /// Words of ours around facts, such as "Sources disagree:".
    Note,
    /// Says that something is not in the documents.
    Missing,
}

impl Kind {
    #[must_use]
    pub fn is_fact(self) -> bool {
        match self {
            Self::Claim | Self::Context => true,
            Self::Note | Self::Missing => false,
        }
    }
}

impl Line {
    pub(crate) fn of(kind: Kind, text: impl Into<String>) -> Self {
        Self { text: text.into(), cites: Vec::new(), kind }
    }
}

impl Answer {
    /// The answer in a model's text: sentences, with the marks `[1]` that stand in them or behind them. A mark whose
    /// citation is not there is kept as a place that is not there, for the check to find. What introduces a list is its
    /// title. Lines behind the first [`MOST_LINES`] are left out.
    #[must_use]
    pub fn parse(text: &str, citations: Vec<Citation>) -> Self {
        let mut blocks: Vec<Block> = Vec::new();
        let mut block = Block::default();
        for row in text.lines().take(MOST_LINES) {
            let trimmed = row.trim();
            if trimmed.is_empty() || is_rule(trimmed) {
                // A title waits for its lines.
                if !block.lines.is_empty() {
                    blocks.extend(std::mem::take(&mut block).filled());
                }
                continue;
            }
            if let Some(title) = heading(trimmed) {
                blocks.extend(std::mem::take(&mut block).filled());
                block.title = Some(marks(title).0);
                continue;
            }
            let said = sentences::after_bullet(trimmed);
            let listed = said.len() < trimmed.len() || trimmed.starts_with('|');
            let said = if trimmed.starts_with('|') { cells(trimmed) } else { said.to_owned() };
            if listed != block.list && !block.lines.is_empty() {
                blocks.extend(std::mem::take(&mut block).filled());
            }
            block.list = listed;
            block.lines.extend(lines(&said.replace("**", "")));
        }
        blocks.extend(block.filled());
        Self { blocks: introduced(blocks), citations }
    }

    pub fn lines(&self) -> impl Iterator<Item = &Line> {
        self.blocks.iter().flat_map(|block| &block.lines)
    }

    /// Whether it says nothing but that the documents do not have it.
    #[must_use]
    pub fn is_refusal(&self) -> bool {
        !self.lines().any(|line| line.kind.is_fact())
    }

    /// Leaves out blocks without lines and citations that no line has, and numbers the others in the order in which they
    /// come.
    #[must_use]
    pub(crate) fn renumbered(mut self) -> Self {
        self.blocks.retain(|block| !block.lines.is_empty());
        let mut places: Vec<usize> = Vec::new();
        let all = &self.citations;
        for line in self.blocks.iter_mut().flat_map(|block| &mut block.lines) {
            line.cites.retain(|at| *at < all.len());
            for cite in &mut line.cites {
                let equal = |place: &usize| all.get(*place) == all.get(*cite);
                let new = places.iter().position(equal).unwrap_or_else(|| {
                    places.push(*cite);
                    places.len() - 1
                });
                *cite = new;
            }
            line.cites.dedup();
        }
        self.citations = places.iter().filter_map(|at| self.citations.get(*at).cloned()).collect();
        self
    }
}

/// Longer texts of models are cut here.
const MOST_LINES: usize = 1_000;

impl Block {
    fn filled(self) -> Option<Self> {
        (!self.lines.is_empty()).then_some(self)
    }
}

/// Blocks where the line before a list that introduces it is the title of the list.
fn introduced(mut blocks: Vec<Block>) -> Vec<Block> {
    for at in 1..blocks.len() {
        let (before, from) = blocks.split_at_mut(at);
        let (Some(before), Some(list)) = (before.last_mut(), from.first_mut()) else { continue };
        let introduces = |line: &Line| line.cites.is_empty() && line.text.ends_with(':');
        if list.list && list.title.is_none() && !before.list {
            let title = before.lines.pop_if(|line| introduces(line)).map(|line| line.text);
            // A title above a title would have no lines.
            let above = before.title.take_if(|_| before.lines.is_empty());
            list.title = above.or(title);
        }
    }
    blocks.retain(|block| !block.lines.is_empty());
    blocks
}

/// A row of a table as a line.
fn cells(row: &str) -> String {
    let cells = row.split('|').map(str::trim).filter(|cell| !cell.is_empty());
    cells.collect::<Vec<_>>().join(" – ")
}

fn is_rule(row: &str) -> bool {
    row.len() >= 3 && row.chars().all(|c| matches!(c, '-' | '|' | ':' | '*' | '_' | '=' | ' '))
}

fn heading(row: &str) -> Option<&str> {
    let title = row.trim_start_matches('#');
    (title.len() < row.len() && title.starts_with(' ')).then(|| title.trim())
}

fn lines(text: &str) -> Vec<Line> {
    let mut lines: Vec<Line> = Vec::new();
    for range in sentences::sentences(text).into_iter().flat_map(|range| after_no(text, range)) {
        let (said, cites) = marks(&text[range]);
        if said.chars().any(char::is_alphanumeric) {
            lines.push(Line { text: said, cites, kind: Kind::Claim });
        } else if let Some(last) = lines.last_mut() {
            // Marks behind the full stop belong to what stands before it.
            last.cites.extend(cites);
        }
    }
    // Marks at the beginning of a sentence that is not the first one stand behind the one before.
    lines
}

/// A sentence, or two where the first is a "No." that was taken for the short form of "number".
fn after_no(text: &str, range: Range<usize>) -> impl Iterator<Item = Range<usize>> {
    let word = text.get(range.clone()).and_then(|said| {
        let rest = said.strip_prefix("No.")?;
        let is_word = rest.trim_start().starts_with(|c: char| c.is_alphabetic() || c == '[');
        (is_word && rest.starts_with(' ')).then_some(range.start + "No.".len())
    });
    let parts = match word {
        Some(end) => [range.start..end, end + 1..range.end],
        None => [range, 0..0],
    };
    parts.into_iter().filter(|part| !part.is_empty())
}

/// A text without its marks, and the places that they name.
fn marks(text: &str) -> (String, Vec<usize>) {
    let (mut said, mut cites, mut rest) = (String::new(), Vec::new(), text);
    while let Some(at) = rest.find('[') {
        let (before, from) = rest.split_at(at);
        said.push_str(before);
        let inner = from.find(']').map(|to| (&from[1..to], &from[to + 1..]));
        let numbers = inner.and_then(|(inner, after)| Some((numbers(inner)?, after)));
        match numbers {
            Some((numbers, after)) => {
                cites.extend(numbers.iter().map(|number| number.wrapping_sub(1)));
                // " [1]." becomes "."
                said.truncate(said.trim_end().len());
                rest = after;
            }
            None => {
                said.push('[');
                rest = &from[1..];
            }
        }
    }
    said.push_str(rest);
    (said.trim().to_owned(), cites)
}

/// The numbers of `1` or `1, 2`.
fn numbers(inner: &str) -> Option<Vec<usize>> {
    let each = inner.split([',', ';']).map(|part| {
        let part = part.trim().trim_start_matches('^');
        let plain = !part.is_empty() && part.len() <= 4 && part.bytes().all(|b| b.is_ascii_digit());
        plain.then(|| part.parse().ok()).flatten()
    });
    each.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(text: &str) -> Vec<(String, Vec<usize>)> {
        let answer = Answer::parse(text, Vec::new());
        answer.lines().map(|line| (line.text.clone(), line.cites.clone())).collect()
    }

    fn line(text: &str, cites: &[usize]) -> (String, Vec<usize>) {
        (text.to_owned(), cites.to_vec())
    }

    #[test]
    fn marks_belong_to_the_sentence_that_they_stand_in_or_behind() {
        let check = |text: &str, lines: &[(String, Vec<usize>)]| assert_eq!(shown(text), lines);
        check("It takes 14 days [1].", &[line("It takes 14 days.", &[0])]);
        check("It takes 14 days. [1]", &[line("It takes 14 days.", &[0])]);
        check(
            "It takes 14 days.[1][2] It is free [3].",
            &[line("It takes 14 days.", &[0, 1]), line("It is free.", &[2])],
        );
        check("- One [1, 2]\n- Two [9]", &[line("One", &[0, 1]), line("Two", &[8])]);
        check("An [optional] word [0].", &[line("An [optional] word.", &[usize::MAX])]);
        check("No. Members pay [1].", &[line("No.", &[]), line("Members pay.", &[0])]);
        check("No. [1] It is free.", &[line("No.", &[0]), line("It is free.", &[])]);
        check("No. 5 is free.", &[line("No. 5 is free.", &[])]);
        check("", &[]);
        check("[1]", &[]);
    }

    #[test]
    fn titles_and_lists_are_kept() {
        let answer =
            Answer::parse("## Basic\nIt is free [1].\n\n## Pro\n1. Costs 9 [2]\n2. Yearly", vec![]);
        let titles: Vec<_> = answer.blocks.iter().map(|block| block.title.as_deref()).collect();
        assert_eq!(titles, [Some("Basic"), Some("Pro")]);
        assert!(answer.blocks[1].list && answer.blocks[1].lines.len() == 2);
        let answer = Answer::parse("It is free [1]. Members get:\n\n- 9 days [2]\n", vec![]);
        let shown: Vec<_> =
            answer.blocks.iter().map(|one| (one.title.as_deref(), one.lines.len())).collect();
        assert_eq!(shown, [(None, 1), (Some("Members get:"), 1)]);
        assert_eq!(Answer::parse("Members get:\n- 9 days [2]", vec![]).blocks.len(), 1);
        let row = Answer::parse("| Basic | **9** EUR [1] |", vec![]);
        assert_eq!(row.blocks[0].lines[0].text, "Basic – 9 EUR");
    }

    #[test]
    fn what_is_behind_the_limit_is_left_out() {
        let text = "One day [1].\n".repeat(MOST_LINES) + "The door code is 4711.";
        let answer = Answer::parse(&text, Vec::new());
        assert_eq!(answer.lines().count(), MOST_LINES);
    }
}
