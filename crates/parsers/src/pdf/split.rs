//! The Markdown of a PDF, cut into blocks.

use crate::{document::Breaks, table};

/// A block of the Markdown, not yet placed.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Raw {
    /// The page, from 1. Where a page is nothing but a table, only the next page's text says where it ends; until
    /// [`assign_pages`](super::place::assign_pages) it is the earliest that it can be.
    pub(super) page: u32,
    /// The first page that it cannot be on.
    pub(super) before: Option<u32>,
    pub(super) what: What,
}

#[derive(Clone, Debug, PartialEq)]
pub(super) enum What {
    Heading(u8, String),
    Text(Breaks, String),
    Table(Vec<Vec<String>>),
    Picture(String),
}

impl Raw {
    pub(super) const fn is_picture(&self) -> bool {
        matches!(self.what, What::Picture(_))
    }

    /// All that it says.
    pub(super) fn words(&self) -> String {
        match &self.what {
            What::Heading(_, said) | What::Text(_, said) | What::Picture(said) => said.clone(),
            What::Table(rows) => {
                rows.iter().flatten().map(String::as_str).collect::<Vec<_>>().join(" ")
            }
        }
    }
}

/// The blocks of a whole document. A line `<!-- Page 3 -->` begins a page.
pub(super) fn split(markdown: &str) -> Vec<Raw> {
    let mut found: Vec<Raw> = Vec::new();
    let mut page = 1;
    let mut from = 0;
    let mut part = String::new();
    for line in markdown.split_inclusive('\n') {
        if let Some(next) = marker(line).filter(|next| *next >= page) {
            let begun = found.len();
            found.extend(split_page(&part, page));
            for raw in found.get_mut(begun..).unwrap_or_default() {
                raw.before = Some(next.max(page + 1));
            }
            part.clear();
            page = next;
        } else {
            part.push_str(line);
        }
        from += line.len();
    }
    debug_assert_eq!(from, markdown.len());
    let begun = found.len();
    found.extend(split_page(&part, page));
    for raw in found.get_mut(begun..).unwrap_or_default() {
        raw.before = None;
    }
    found
}

fn marker(line: &str) -> Option<u32> {
    line.trim().strip_prefix("<!-- Page ")?.strip_suffix(" -->")?.parse().ok()
}

/// The blocks of one page.
pub(super) fn split_page(markdown: &str, page: u32) -> Vec<Raw> {
    let mut found = Vec::new();
    let mut lines: Vec<&str> = Vec::new();
    let mut fenced = false;
    for line in markdown.lines() {
        let fence = line.trim_start().starts_with("```");
        fenced ^= fence;
        let alone = !fenced && (heading(line).is_some() || picture(line).is_some());
        let table = |line: &str| line.starts_with('|');
        let turns =
            lines.last().is_some_and(|last| table(last) != table(line)) && !fenced && !fence;
        if line.trim().is_empty() && !fenced || alone || turns {
            found.extend(block(&lines));
            lines.clear();
        }
        if alone {
            found.extend(block(&[line]));
        } else if fenced || !line.trim().is_empty() {
            lines.push(line);
        }
    }
    found.extend(block(&lines));
    found.into_iter().map(|what| Raw { page, before: Some(page + 1), what }).collect()
}

fn heading(line: &str) -> Option<(u8, &str)> {
    let level = line.bytes().take_while(|byte| *byte == b'#').count();
    let title = line.get(level..)?.strip_prefix(' ')?;
    (1..=6).contains(&level).then(|| (u8::try_from(level).unwrap_or(6), title))
}

/// `![Image: Im0](image)`
fn picture(line: &str) -> Option<&str> {
    line.trim().strip_prefix("![Image: ")?.strip_suffix("](image)")
}

fn block(lines: &[&str]) -> Option<What> {
    let (first, last) = (lines.first()?, lines.last()?);
    if let Some(name) = picture(first) {
        return Some(What::Picture(name.to_owned()));
    }
    if let Some((level, title)) = heading(first) {
        return Some(What::Heading(level, title.to_owned()));
    }
    if first.starts_with('|') && lines.len() > 1 {
        let rows: Vec<Vec<String>> = lines
            .iter()
            .filter(|line| !table::is_rule(line))
            .filter_map(|line| table::cells(line))
            .map(|cells| cells.iter().map(|cell| cell.replace("<br>", " ")).collect())
            .collect();
        return Some(What::Table(rows));
    }
    let fenced =
        first.trim_start().starts_with("```") && lines.len() > 1 && last.starts_with("```");
    let listed = lines.iter().filter(|line| is_item(line)).count();
    let breaks = if fenced || listed * 2 > lines.len() { Breaks::Lines } else { Breaks::Sentences };
    Some(What::Text(breaks, lines.join("\n")))
}

fn is_item(line: &str) -> bool {
    let line = line.trim_start();
    let number = line.bytes().take_while(u8::is_ascii_digit).count();
    line.starts_with("- ")
        || line.starts_with("* ")
        || line.starts_with("• ")
        || number > 0
            && line
                .get(number..)
                .is_some_and(|rest| rest.starts_with(". ") || rest.starts_with(") "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_markdown_of_a_page_becomes_blocks() {
        let text = "# Title\n\nFirst line\nsecond line.\n\n- a\n- b\n\n| x | y |\n|---|---|\n| 1 | 2<br>3 |\nAfter.\n\n\
                    ![Image: Im0](image)\n\n```\n# code\n\nmore\n```\n";
        let found: Vec<_> = split_page(text, 4).into_iter().map(|raw| raw.what).collect();
        let row = |cells: [&str; 2]| cells.map(str::to_owned).to_vec();
        let expected = [
            What::Heading(1, "Title".into()),
            What::Text(Breaks::Sentences, "First line\nsecond line.".into()),
            What::Text(Breaks::Lines, "- a\n- b".into()),
            What::Table(vec![row(["x", "y"]), row(["1", "2 3"])]),
            What::Text(Breaks::Sentences, "After.".into()),
            What::Picture("Im0".into()),
            What::Text(Breaks::Lines, "```\n# code\n\nmore\n```".into()),
        ];
        assert_eq!(found, expected);
    }

    #[test]
    fn markers_begin_pages_and_text_that_looks_like_one_does_not_go_back() {
        let text = "<!-- Page 2 -->\n\na\n\n<!-- Page 1 -->\n\nb\n\n<!-- Page 5 -->\n\nc";
        let found: Vec<_> =
            split(text).into_iter().map(|raw| (raw.words(), raw.page, raw.before)).collect();
        let expected = [
            ("a".to_owned(), 2, Some(5)),
            ("<!-- Page 1 -->".to_owned(), 2, Some(5)),
            ("b".to_owned(), 2, Some(5)),
            ("c".to_owned(), 5, None),
        ];
        assert_eq!(found, expected);
    }
}
