//! What a page break has cut is put together again: tables whose columns go on, and sentences.

use super::{
    place::{Page, Placed, Run, around},
    split::What,
};
use crate::document::{Breaks, Layout, Spot, Writer, one_line};

/// Edges of one table on two pages differ by so many points at most.
const NEAR: f64 = 12.0;

/// The reader errs where a table stands close below a paragraph: it takes the heading of the table for text, or puts
/// the last word of the paragraph into the first cell. Where the runs stand says which is which.
pub(super) fn mend_headers(blocks: &mut [Placed], pages: &[Page<'_>]) {
    for at in 1..blocks.len() {
        let Some([.., above, block]) = blocks.get_mut(..=at) else { continue };
        let page = block.raw.page;
        let Some(runs) = pages.get((page as usize).wrapping_sub(1)).map(|page| &page.runs) else {
            continue;
        };
        let What::Table(rows) = &mut block.raw.what else { continue };
        let What::Text(Breaks::Sentences, said) = &mut above.raw.what else { continue };
        if above.raw.page != page {
            continue;
        }
        if let Some(word) = strayed(rows, runs) {
            said.push(' ');
            said.push_str(&word);
        }
        let own: Vec<&Run<'_>> = runs.iter().filter(|run| run.block == Some(at - 1)).collect();
        if let (Some(heading), Some(bbox)) = (heading(rows, &own, runs, at), above.bbox) {
            rows.insert(0, heading);
            block.bbox = Some(around(block.bbox, bbox));
            // What it said is in the table now.
            said.clear();
        }
    }
}

/// The text above a table as its heading: one line, a run for each column, each where its column is.
fn heading(
    rows: &[Vec<String>],
    above: &[&Run<'_>],
    runs: &[Run<'_>],
    table: usize,
) -> Option<Vec<String>> {
    let first = rows.first()?;
    if above.len() != first.len() || first.len() < 2 {
        return None;
    }
    let line = above.first()?.item.y;
    if above.iter().any(|run| (run.item.y - line).abs() > 2.0) {
        return None;
    }
    let mut above = above.to_vec();
    above.sort_by(|one, other| one.item.x.total_cmp(&other.item.x));
    for (cell, over) in first.iter().zip(&above) {
        let of_table = |run: &&Run<'_>| run.block == Some(table) && run.item.text.trim() == cell;
        let below = runs
            .iter()
            .filter(of_table)
            .max_by(|one, other| one.item.y.total_cmp(&other.item.y))?;
        let [left, top, right, _] = below.bbox;
        let [own_left, _, own_right, own_bottom] = over.bbox;
        let aligned = (left - own_left).abs() < 4.0
            || (right - own_right).abs() < 4.0
            || (left + right - own_left - own_right).abs() < 8.0;
        if !aligned || !(-2.0..20.0).contains(&(top - own_bottom)) {
            return None;
        }
    }
    Some(above.iter().map(|run| run.item.text.trim().to_owned()).collect())
}

/// The word in the first cell that stands a line above the other cells of its row. It is taken out.
fn strayed(rows: &mut [Vec<String>], runs: &[Run<'_>]) -> Option<String> {
    let first = rows.first_mut()?;
    let second = first.get(1)?.clone();
    let cell = first.first_mut()?;
    let (word, rest) = runs.iter().find_map(|run| {
        let word = run.item.text.trim();
        let rest = cell.strip_prefix(word)?.strip_prefix(' ')?.trim();
        let level = |run: &&Run<'_>| run.item.text.trim() == second;
        let line = runs.iter().filter(level).find(|other| {
            let lower = run.item.y - other.item.y;
            lower > run.item.height * 0.8 && lower < run.item.height * 4.0
        })?;
        let own = runs.iter().any(|other| {
            other.item.text.trim() == rest && (other.item.y - line.item.y).abs() < 2.0
        });
        own.then(|| (word.to_owned(), rest.to_owned()))
    })?;
    *cell = rest;
    Some(word)
}

/// Writes the blocks.
pub(super) fn write(blocks: &[Placed], pages: &[Page<'_>], writer: &mut Writer) {
    // The table that was written last, if nothing came after it.
    let mut table: Option<&Placed> = None;
    for block in blocks {
        let on = pages.get((block.raw.page as usize).wrapping_sub(1));
        let bbox = block.bbox.map(|bbox| on.map_or(bbox, |page| page.as_it_lies(bbox)));
        let spot = Spot { page: Some(block.raw.page), bbox };
        let above = table.take();
        match &block.raw.what {
            What::Heading(level, title) => writer.heading(*level, title, spot),
            What::Picture(name) => {
                writer.image("", name, spot);
                // A picture at the foot of the page does not end a table.
                table = above;
            }
            What::Text(Breaks::Lines, said) => writer.lines(said, spot),
            What::Text(Breaks::Sentences, said) => {
                if goes_on(writer, said, block.raw.page) {
                    writer.go_on(&one_line(said), " ", spot);
                } else {
                    writer.paragraph(said, spot);
                }
            }
            What::Table(rows) => {
                let rest = above.and_then(|above| rest(above, block, rows));
                match rest
                    .filter(|_| writer.last().is_some_and(|(last, _)| last.layout == Layout::Table))
                {
                    Some(rest) if !rest.is_empty() => {
                        let lines = crate::table::rows(rest);
                        writer.go_on(&lines, "\n", spot);
                    }
                    Some(_) => {}
                    None => writer.table(rows, spot),
                }
                table = Some(block);
            }
        }
    }
}

/// The rows with which a table goes on that began on the page before. None when it is another table.
fn rest<'a>(above: &Placed, block: &Placed, rows: &'a [Vec<String>]) -> Option<&'a [Vec<String>]> {
    let What::Table(before) = &above.raw.what else { return None };
    let (first, begun) = (rows.first()?, before.first()?);
    if block.raw.page != above.raw.page + 1 || first.len() != begun.len() {
        return None;
    }
    if first == begun {
        return rows.get(1..);
    }
    let (Some(one), Some(other)) = (above.bbox, block.bbox) else { return None };
    let aligned = (one[0] - other[0]).abs() < NEAR && (one[2] - other[2]).abs() < NEAR;
    // A heading says words where the rows below it have numbers.
    let numbers = |row: &[String]| row.iter().map(|cell| is_number(cell)).collect::<Vec<_>>();
    let like_rows = before.last().is_some_and(|last| numbers(last) == numbers(first));
    (aligned && like_rows).then_some(rows)
}

fn is_number(cell: &str) -> bool {
    let digits = cell.bytes().filter(u8::is_ascii_digit).count();
    digits * 2 >= cell.chars().count() && digits > 0
}

/// Whether a paragraph goes on with a sentence of the page before.
fn goes_on(writer: &Writer, said: &str, page: u32) -> bool {
    let Some((last, text)) = writer.last() else { return false };
    let on = last.places.last().and_then(|place| place.page);
    last.layout == Layout::Text
        && last.breaks == Breaks::Sentences
        && on.is_some_and(|on| on + 1 == page)
        && text.ends_with(|c: char| c.is_alphanumeric() || c == ',')
        && said.starts_with(char::is_lowercase)
}
