//! The order in which lines on a page are read: by rows, but a column to its end before the next.
//!
//! Columns are lines side by side with a gutter that none of them crosses. Lines that cross it (titles, text over the
//! whole width) end the columns above them. Rows of tables are no columns: their cells are short, or more than two.

use super::Seen;

/// More lines than this are read by rows: looking for columns takes time by the square of them.
const MOST: usize = 2000;

/// How wide a gutter is at least, and a line of a column, by the usual height of a line.
const GUTTER: f32 = 0.7;
const LINE: f32 = 6.0;

/// Lines on each side that make columns.
const FEW: usize = 3;

/// Puts lines in the order in which they are read.
pub(super) fn in_order(mut seen: Vec<Seen>) -> Vec<Seen> {
    seen.sort_by(|one, other| one.bbox[1].total_cmp(&other.bbox[1]));
    if seen.len() > MOST {
        return rows(seen).concat();
    }
    let mut heights: Vec<f32> = seen.iter().map(|seen| seen.bbox[3] - seen.bbox[1]).collect();
    heights.sort_by(f32::total_cmp);
    let usual = heights.get(heights.len() / 2).copied().unwrap_or(1.0).max(1.0);
    columns(seen, usual, 8)
}

fn columns(seen: Vec<Seen>, usual: f32, depth: usize) -> Vec<Seen> {
    let Some(gutter) = gutter(&seen, usual).filter(|_| depth > 0) else {
        return rows(seen).concat();
    };
    let (mut ordered, mut zone) = (Vec::new(), Vec::new());
    for row in rows(seen) {
        if row.iter().any(|seen| crosses(seen, gutter)) || is_of_table(&row, gutter, usual) {
            end(&mut zone, &mut ordered, gutter, usual, depth);
            ordered.extend(row);
        } else {
            zone.extend(row);
        }
    }
    end(&mut zone, &mut ordered, gutter, usual, depth);
    ordered
}

/// The lines of a zone that nothing crosses: left of the gutter, then right of it.
fn end(zone: &mut Vec<Seen>, ordered: &mut Vec<Seen>, gutter: f32, usual: f32, depth: usize) {
    let (left, right): (Vec<Seen>, Vec<Seen>) =
        zone.drain(..).partition(|seen| seen.bbox[0] < gutter);
    ordered.extend(columns(left, usual, depth - 1));
    ordered.extend(columns(right, usual, depth - 1));
}

fn crosses(seen: &Seen, gutter: f32) -> bool {
    seen.bbox[0] < gutter && seen.bbox[2] > gutter
}

/// Whether a row has more than a line on a side, or only short ones on both.
fn is_of_table(row: &[Seen], gutter: f32, usual: f32) -> bool {
    let left = row.iter().filter(|seen| seen.bbox[0] < gutter);
    let right = row.iter().filter(|seen| seen.bbox[0] >= gutter);
    let short = |seen: &Seen| seen.bbox[2] - seen.bbox[0] < usual * LINE;
    let (many, all) = (left.count().max(right.count()), row.iter().all(short));
    many > 2 || row.len() > 1 && all
}

/// The middle of the gutter that parts most lines. None where there are no columns.
fn gutter(seen: &[Seen], usual: f32) -> Option<f32> {
    let long: Vec<&Seen> =
        seen.iter().filter(|seen| seen.bbox[2] - seen.bbox[0] >= usual * LINE).collect();
    let parted = |at: &f32| {
        let left = long.iter().filter(|seen| seen.bbox[2] <= *at).count();
        let right = long.iter().filter(|seen| seen.bbox[0] >= *at).count();
        // What crosses it speaks against it, but a title or two are no reason.
        let across = long.iter().filter(|seen| crosses(seen, *at)).count();
        (left.min(right) >= FEW).then(|| left.min(right) * 2).filter(|both| *both > across)
    };
    // A gutter ends where the lines to the right of it begin.
    let candidates = long.iter().map(|seen| seen.bbox[0] - usual * GUTTER / 2.0);
    let scored = candidates.filter_map(|at| {
        let (low, high) = (at - usual * GUTTER / 2.0, at + usual * GUTTER / 2.0);
        let blocks =
            |seen: &&&Seen| !crosses(seen, at) && (seen.bbox[0] < high - 0.5 && seen.bbox[2] > low);
        let blocked = long.iter().filter(blocks).count();
        Some((parted(&at)?.checked_sub(blocked * 2)?, at))
    });
    scored
        .max_by(|one, other| one.0.cmp(&other.0).then(other.1.total_cmp(&one.1)))
        .filter(|(score, _)| *score > 0)
        .map(|(_, at)| at)
}

/// Rows of lines side by side, each from left to right. The lines come from the top.
fn rows(seen: Vec<Seen>) -> Vec<Vec<Seen>> {
    let mut rows: Vec<Vec<Seen>> = Vec::new();
    for seen in seen {
        let middle = f32::midpoint(seen.bbox[1], seen.bbox[3]);
        match rows.last_mut() {
            // It begins above the middle of the row's first line, and that line ends below its middle.
            Some(row)
                if row.first().is_some_and(|first| {
                    let own = f32::midpoint(first.bbox[1], first.bbox[3]);
                    seen.bbox[1] < own && middle < first.bbox[3]
                }) =>
            {
                row.push(seen);
            }
            Some(_) | None => rows.push(vec![seen]),
        }
    }
    for row in &mut rows {
        row.sort_by(|one, other| one.bbox[0].total_cmp(&other.bbox[0]));
    }
    rows
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seen(text: &str, left: f32, top: f32, wide: f32) -> Seen {
        Seen { text: text.to_owned(), bbox: [left, top, left + wide, top + 20.0] }
    }

    fn said(lines: Vec<Seen>) -> String {
        in_order(lines).iter().map(|seen| seen.text.as_str()).collect()
    }

    #[test]
    fn columns_are_read_to_their_end_and_titles_end_them() {
        let mut lines = vec![seen("A", 100.0, 10.0, 500.0), seen("N", 100.0, 300.0, 500.0)];
        for (at, (left, right)) in
            ["Bg", "Ch", "Di", "Ej", "Fk"].iter().map(|s| s.split_at(1)).enumerate()
        {
            let top = 60.0 + at as f32 * 25.0;
            lines.push(seen(right, 330.0, top + 7.0, if right == "k" { 40.0 } else { 240.0 }));
            lines.push(seen(left, 50.0, top, 250.0));
        }
        assert_eq!(said(lines), "ABCDEFghijkN");
    }

    #[test]
    fn tables_are_read_by_rows() {
        let mut lines = Vec::new();
        for row in 0..6 {
            for (column, left) in [400.0, 50.0, 220.0].into_iter().enumerate() {
                let text = ["c", "a", "b"][column];
                lines.push(seen(text, left, 60.0 + row as f32 * 30.0 + column as f32, 90.0));
            }
        }
        assert_eq!(said(lines), "abc".repeat(6));
        assert_eq!(said(Vec::new()), "");
    }

    #[test]
    fn three_columns_are_three() {
        let mut lines = Vec::new();
        for row in 0..5 {
            for (text, left) in [("c", 500.0), ("a", 20.0), ("b", 260.0)] {
                lines.push(seen(text, left, 60.0 + row as f32 * 30.0, 210.0));
            }
        }
        assert_eq!(said(lines), "aaaaabbbbbccccc");
    }
}
