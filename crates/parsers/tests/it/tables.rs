//! Tables of PDFs against what was drawn.

use consign_parsers::{Document, Layout, Options, parse};

use crate::make::{
    pdf::{Look, Maker},
    words::Dice,
};

/// The cells of a table in Markdown, without its rule.
pub(crate) fn cells(table: &str) -> Vec<Vec<String>> {
    table
        .lines()
        .filter(|line| !line.contains("| --- |"))
        .map(|line| {
            let inner = line.trim_start_matches('|').trim_end_matches('|');
            inner.split('|').map(|cell| cell.trim().to_owned()).collect()
        })
        .collect()
}

pub(crate) fn tables(document: &Document) -> Vec<Vec<Vec<String>>> {
    let tables = document.blocks.iter().filter(|block| block.layout == Layout::Table);
    tables.map(|block| cells(document.text_of(block))).collect()
}

#[derive(Default)]
struct Score {
    right: usize,
    drawn: usize,
    found: usize,
}

impl Score {
    fn add(&mut self, drawn: &[Vec<String>], found: &[Vec<Vec<String>>]) {
        let right = |found: &[Vec<String>]| {
            let rows = drawn.iter().zip(found);
            rows.map(|(one, other)| one.iter().zip(other).filter(|(a, b)| a == b).count())
                .sum::<usize>()
        };
        self.drawn += drawn.iter().map(Vec::len).sum::<usize>();
        if let Some(best) = found.iter().max_by_key(|table| right(table)) {
            self.right += right(best);
            self.found += best.iter().map(Vec::len).sum::<usize>();
        }
    }

    fn f1(&self) -> f64 {
        2.0 * self.right as f64 / (self.drawn + self.found).max(1) as f64
    }
}

/// A table with words in the first column and numbers or words in the others.
fn table(dice: &mut Dice) -> Vec<Vec<String>> {
    let (columns, rows) = (3 + dice.below(3), 4 + dice.below(8));
    let mut table = vec![(0..columns).map(|_| dice.words(1)).collect::<Vec<_>>()];
    let kinds: Vec<usize> =
        (0..columns).map(|at| if at == 0 { 0 } else { dice.below(3) }).collect();
    for _ in 0..rows {
        let row = kinds.iter().map(|kind| match kind {
            0 => {
                let count = 1 + dice.below(2);
                dice.words(count)
            }
            1 => dice.below(10_000).to_string(),
            _ => format!("{}.{:02}", dice.below(900), dice.below(100)),
        });
        table.push(row.collect());
    }
    table
}

fn measure(look: Look) -> f64 {
    let mut score = Score::default();
    for seed in 1..=40 {
        let mut dice = Dice::new(seed);
        let drawn = table(&mut dice);
        let mut pdf = Maker::new();
        pdf.text(72.0, 80.0, 16.0, true, "A report");
        let y = pdf.prose(72.0, 110.0, 450.0, 10.0, &dice.paragraph());
        // In every fourth file the paragraph ends with one word on a line of its own.
        let y = if seed % 4 == 0 { pdf.prose(72.0, y, 450.0, 10.0, "alone.") } else { y };
        let gap = [6.0, 12.0, 20.0][dice.below(3)];
        let wide = 450.0 / drawn[0].len() as f32;
        let widths = vec![wide; drawn[0].len()];
        let y = pdf.table(72.0, y + gap, &widths, &drawn, look);
        pdf.prose(72.0, y + 24.0, 450.0, 10.0, &dice.paragraph());
        let document = parse(&pdf.finish(), &Options::default()).unwrap();
        let found = tables(&document);
        let before = score.right;
        score.add(&drawn, &found);
        let cells = drawn.iter().map(Vec::len).sum::<usize>();
        if score.right - before < cells {
            println!(
                "{look:?} {seed}: {} of {cells}\n{drawn:?}\n{}\n",
                score.right - before,
                document.text
            );
        }
    }
    println!("{look:?}: cell F1 {:.3}", score.f1());
    score.f1()
}

#[test]
fn ruled_tables_are_read_cell_by_cell() {
    assert!(measure(Look::Ruled) >= 0.95);
}

#[test]
fn three_line_tables_are_read_cell_by_cell() {
    assert!(measure(Look::ThreeLine) >= 0.9);
}

#[test]
fn tables_without_lines_are_read_cell_by_cell() {
    assert!(measure(Look::Borderless) >= 0.75);
}
