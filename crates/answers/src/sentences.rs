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
    /// Counts paragraphs, so that it tells which sentences belong together.
    pub paragraph: usize,
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

/// The units of a text, in order, without the white space and the marks of emphasis around them. Words in bold at the
/// beginning of a paragraph head it.
#[must_use]
pub fn units(text: &str) -> Vec<Unit> {
    let mut reader = Reader {
        text,
        code: Language::of(text).code(),
        units: Vec::new(),
        open: None,
        paragraph: 0,
    };
    let mut lines: Vec<Range<usize>> = Vec::new();
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        lines.push(trimmed(text, at..at + line.len()));
        at += line.len();
    }
    for (place, range) in lines.iter().enumerate() {
        let said = &text[range.clone()];
        let bullet = said.len() - after_bullet(said).len();
        if said.is_empty() {
            reader.close();
        } else if said.starts_with('|') {
            reader.push(range.clone(), if is_rule(said) { UnitKind::Rule } else { UnitKind::Row });
        } else if heading_mark(said) > 0 {
            reader.push(range.start + heading_mark(said)..range.end, UnitKind::Heading);
        } else if bullet > 0 {
            reader.close();
            reader.open = Some((range.start + bullet..range.end, UnitKind::Item));
        } else if reader.open.is_none()
            && is_title(said, lines.get(place + 1).map_or("", |next| &text[next.clone()]))
        {
            reader.push(range.clone(), UnitKind::Heading);
        } else {
            match &mut reader.open {
                Some((open, _)) => open.end = range.end,
                None => reader.open = Some((range.clone(), UnitKind::Sentence)),
            }
        }
    }
    reader.close();
    reader.units.retain(|unit| unit.range.start < unit.range.end);
    reader.units
}

struct Reader<'a> {
    text: &'a str,
    code: &'static str,
    units: Vec<Unit>,
    open: Option<(Range<usize>, UnitKind)>,
    paragraph: usize,
}

impl Reader<'_> {
    fn push(&mut self, range: Range<usize>, kind: UnitKind) {
        self.close();
        self.paragraph += 1;
        self.units.push(Unit { range, kind, paragraph: self.paragraph });
    }

    fn close(&mut self) {
        let Some((range, kind)) = self.open.take() else { return };
        self.paragraph += 1;
        let Some(said) = self.text.get(range.clone()) else { return };
        let mut from = 0;
        if let Some(bold) = bold(said) {
            let inner = range.start + bold.start..range.start + bold.end;
            self.units.push(Unit {
                range: inner,
                kind: UnitKind::Heading,
                paragraph: self.paragraph,
            });
            from = bold.end + 2;
        }
        for part in split(said.get(from..).unwrap_or_default(), self.code) {
            let start = range.start + from + part.start;
            let part = trimmed(self.text, plain(self.text, start..start + part.len()));
            self.units.push(Unit { range: part, kind, paragraph: self.paragraph });
        }
    }
}

/// What stands in bold at the beginning of a paragraph, where more follows it.
fn bold(said: &str) -> Option<Range<usize>> {
    let inner = said.strip_prefix("**")?;
    let end = inner.find("**")?;
    let rest = inner.get(end + 2..)?;
    (end > 0 && end < 80 && rest.chars().any(char::is_alphanumeric)).then_some(2..2 + end)
}

/// A sentence without marks of emphasis before it, and without one behind it that has no other.
fn plain(text: &str, range: Range<usize>) -> Range<usize> {
    let said = &text[range.clone()];
    let start = said.trim_start_matches(['*', '_', ' ', '–', '-', ':', '—']);
    if start.matches("**").count().is_multiple_of(2) && start.len() < said.len()
        || said.matches("**").count() % 2 == 1
    {
        let end = start.trim_end_matches("**").trim_end();
        let from = range.end - start.len();
        return from..from + end.len();
    }
    range
}

/// Whether a line heads the one below it although nothing marks it: short, without a full stop, and the next begins anew;
/// or all in capitals.
fn is_title(said: &str, next: &str) -> bool {
    let ends = said.ends_with(['.', '!', '?', ',', ';', ':', '…', '"', '”', ')']);
    let letters = || said.chars().filter(|c| c.is_alphabetic());
    let capitals = letters().count() >= 4 && letters().all(|c| !c.is_lowercase());
    let anew = next.starts_with(|c: char| c.is_uppercase() || c == '(' || c == '¿');
    !ends && (capitals || said.len() <= 50 && anew)
}

/// The sentences of a paragraph.
#[must_use]
pub fn sentences(text: &str) -> Vec<Range<usize>> {
    split(text, Language::of(text).code())
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
