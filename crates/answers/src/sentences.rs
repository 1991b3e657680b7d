//! What a passage is made of: sentences, items of lists, headings and table rows, each with its exact bytes.
//!
//! Sentences are found by `sentencex`, which knows the abbreviations of many languages. Where a text says by its lines
//! what belongs together (lists, headings, tables), the lines decide.

use std::ops::Range;

use consign_knowledge::Language;

/// A part of a text that can be quoted by itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unit {
    pub range: Range<usize>,
    pub kind: UnitKind,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UnitKind {
    Sentence,
    /// A sentence of a list's item.
    Item,
    Heading,
    /// A row of a table, its heading included.
    Row,
    /// The rule below a table's heading.
    Rule,
}

/// The units of a text, in order, without the white space around them.
#[must_use]
pub fn units(text: &str) -> Vec<Unit> {
    let mut units = Vec::new();
    let code = Language::of(text).code();
    let mut paragraph: Option<(Range<usize>, UnitKind)> = None;
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        let range = trimmed(text, at..at + line.len());
        at += line.len();
        let said = &text[range.clone()];
        let bullet = said.len() - after_bullet(said).len();
        let begins = if said.is_empty() {
            close(text, code, paragraph.take(), &mut units);
            continue;
        } else if said.starts_with('|') {
            Some(if is_rule(said) { UnitKind::Rule } else { UnitKind::Row })
        } else if is_heading(said) {
            Some(UnitKind::Heading)
        } else if bullet > 0 {
            Some(UnitKind::Item)
        } else {
            None
        };
        match begins {
            None => match &mut paragraph {
                Some((open, _)) => open.end = range.end,
                None => paragraph = Some((range, UnitKind::Sentence)),
            },
            Some(UnitKind::Item) => {
                close(text, code, paragraph.take(), &mut units);
                paragraph = Some((range.start + bullet..range.end, UnitKind::Item));
            }
            Some(
                kind @ (UnitKind::Heading | UnitKind::Row | UnitKind::Rule | UnitKind::Sentence),
            ) => {
                close(text, code, paragraph.take(), &mut units);
                let from = if kind == UnitKind::Heading { heading_mark(said) } else { 0 };
                units.push(Unit { range: range.start + from..range.end, kind });
            }
        }
    }
    close(text, code, paragraph, &mut units);
    units.retain(|unit| unit.range.start < unit.range.end);
    units
}

/// The sentences of a paragraph.
#[must_use]
pub fn sentences(text: &str) -> Vec<Range<usize>> {
    split(text, Language::of(text).code())
}

fn close(text: &str, code: &str, open: Option<(Range<usize>, UnitKind)>, units: &mut Vec<Unit>) {
    let Some((range, kind)) = open else { return };
    let Some(said) = text.get(range.clone()) else { return };
    for part in split(said, code) {
        units.push(Unit { range: range.start + part.start..range.start + part.end, kind });
    }
}

fn split(text: &str, code: &str) -> Vec<Range<usize>> {
    // A line break in running text is a space; both are one byte.
    let flat = text.replace(['\n', '\r', '\t'], " ");
    let bounds =
        sentencex::get_sentence_boundaries(if code.is_empty() { "en" } else { code }, &flat);
    let mut ranges: Vec<Range<usize>> = Vec::new();
    let mut from = 0;
    for bound in bounds {
        // Whatever it gives, nothing is lost and nothing stands twice.
        let end = bound.end_byte.min(text.len());
        if end <= from || !text.is_char_boundary(end) {
            continue;
        }
        ranges.push(trimmed(text, from..end));
        from = end;
    }
    ranges.push(trimmed(text, from..text.len()));
    ranges.retain(|range| range.start < range.end);
    ranges
}

fn trimmed(text: &str, range: Range<usize>) -> Range<usize> {
    let part = &text[range.clone()];
    let start = range.start + (part.len() - part.trim_start().len());
    let end = range.start + part.trim_end().len();
    start..end.max(start)
}

/// What follows the mark of a list's item: the same text where there is no mark.
pub(crate) fn after_bullet(line: &str) -> &str {
    for mark in ["- ", "* ", "+ ", "• ", "– ", "· ", "▪ ", "◦ "] {
        if let Some(rest) = line.strip_prefix(mark) {
            return rest.trim_start();
        }
    }
    let digits = line.bytes().take_while(u8::is_ascii_digit).count();
    let letter = line.bytes().next().is_some_and(|byte| byte.is_ascii_lowercase());
    let count = if digits > 0 && digits <= 3 { digits } else { usize::from(letter) };
    let rest = &line[count..];
    let mark =
        if letter && digits == 0 { rest.strip_prefix(')') } else { rest.strip_prefix(['.', ')']) };
    match mark {
        Some(rest) if count > 0 && rest.starts_with(' ') => rest.trim_start(),
        Some(_) | None => line,
    }
}

fn is_heading(line: &str) -> bool {
    heading_mark(line) > 0
}

fn heading_mark(line: &str) -> usize {
    let title = line.trim_start_matches('#');
    let hashes = line.len() - title.len();
    let text = title.trim_start();
    if (1..=6).contains(&hashes) && text.len() < title.len() { line.len() - text.len() } else { 0 }
}

/// Whether a line is the one below a table's heading.
pub(crate) fn is_rule(line: &str) -> bool {
    let line = line.trim();
    line.starts_with('|')
        && line.contains('-')
        && line.chars().all(|c| matches!(c, '|' | '-' | ':' | ' '))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(text: &str) -> Vec<(&str, UnitKind)> {
        units(text).into_iter().map(|unit| (&text[unit.range], unit.kind)).collect()
    }

    #[test]
    fn abbreviations_and_numbers_do_not_end_a_sentence() {
        let check = |text: &str, expected: &[&str]| {
            let found: Vec<_> = units(text).into_iter().map(|unit| &text[unit.range]).collect();
            assert_eq!(found, expected);
        };
        check("Dr. Smith paid 3.5 percent. He left.", &["Dr. Smith paid 3.5 percent.", "He left."]);
        check(
            "Das gilt z. B. für Dr. Weber am 3. März. Danach nicht.",
            &["Das gilt z. B. für Dr. Weber am 3. März.", "Danach nicht."],
        );
        check("La Sra. Ruiz firma. ¿Cuándo? Hoy.", &["La Sra. Ruiz firma.", "¿Cuándo?", "Hoy."]);
        check("One line\ngoes on. Two.", &["One line\ngoes on.", "Two."]);
    }

    #[test]
    fn lines_decide_in_lists_headings_and_tables() {
        use UnitKind::{Heading, Item, Row, Rule, Sentence};
        let text = "# Leave\n\nAll get it.\n\n- One day. Paid.\n2. Two\n\n| a | b |\n| --- | --- |\n| 1 | 2 |";
        assert_eq!(
            said(text),
            [
                ("Leave", Heading),
                ("All get it.", Sentence),
                ("One day.", Item),
                ("Paid.", Item),
                ("Two", Item),
                ("| a | b |", Row),
                ("| --- | --- |", Rule),
                ("| 1 | 2 |", Row),
            ]
        );
    }

    proptest::proptest! {
        #[test]
        fn units_are_in_order_and_lose_nothing_but_marks(text in "(\\PC|\n|\\. |- |# ){0,200}") {
            let mut last = 0;
            for unit in units(&text) {
                assert!(last <= unit.range.start && unit.range.start < unit.range.end);
                let said = text.get(unit.range.clone()).unwrap();
                assert_eq!(said.trim(), said);
                last = unit.range.end;
            }
        }
    }
}
