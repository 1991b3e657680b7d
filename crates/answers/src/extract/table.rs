//! Tables, row by row and cell by cell.

use std::collections::BTreeMap;

use super::score::Read;
use crate::{
    passage::Passage,
    plan::Asks,
    sentences::{Unit, UnitKind},
};

/// The table of a passage.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Table {
    pub(super) columns: Vec<String>,
    /// The cells of each row below the heading, by the place of its unit.
    pub(super) rows: BTreeMap<usize, Vec<String>>,
}

impl Table {
    pub(super) fn of(passage: &Passage, units: &[Unit]) -> Option<Self> {
        let text = passage.read();
        let rule = units.iter().position(|unit| unit.kind == UnitKind::Rule)?;
        let heading = units.get(rule.checked_sub(1)?).filter(|unit| unit.kind == UnitKind::Row)?;
        let columns = cells(text.get(heading.range.clone())?);
        let below = units.iter().enumerate().skip(rule + 1);
        let rows = below.filter(|(_, unit)| unit.kind == UnitKind::Row);
        let rows =
            rows.map(|(at, unit)| (at, cells(text.get(unit.range.clone()).unwrap_or_default())));
        Some(Self { columns, rows: rows.collect() })
    }
}

/// The cells of a row of a Markdown table.
fn cells(line: &str) -> Vec<String> {
    let inner = line.trim().trim_start_matches('|');
    let inner = inner.strip_suffix('|').unwrap_or(inner);
    let mut cells = vec![String::new()];
    let mut escaped = false;
    for c in inner.chars() {
        match (escaped, c, cells.last_mut()) {
            (false, '\\', _) => escaped = true,
            (false, '|', _) => cells.push(String::new()),
            (_, c, Some(cell)) => {
                if escaped && c != '|' {
                    cell.push('\\');
                }
                cell.push(c);
                escaped = false;
            }
            (_, _, None) => {}
        }
    }
    cells.iter().map(|cell| cell.trim().to_owned()).collect()
}

/// A row as an answer: "Row – Column: value".
pub(super) fn say(
    table: &Table,
    unit: usize,
    read: &Read,
    asks: Asks,
    matches: &dyn Fn(&str, &[String]) -> f64,
) -> Option<String> {
    let row = table.rows.get(&unit)?;
    let of = |text: &str| -> f64 {
        let each = read
            .stems
            .iter()
            .zip(&read.weights)
            .map(|(stems, weight)| matches(text, stems) * weight);
        each.sum()
    };
    let column = |at: usize| table.columns.get(at).map_or("", String::as_str);
    let in_cells: Vec<f64> = row.iter().map(|cell| of(cell)).collect();
    let in_columns: Vec<f64> = (0..row.len()).map(|at| of(column(at))).collect();
    let filled = |at: &usize| row.get(*at).is_some_and(|cell| !cell.is_empty());
    let most = |all: &[f64], but: &[usize]| {
        let all = all.iter().enumerate().filter(|(at, _)| !but.contains(at));
        all.fold(0.0_f64, |most, (_, value)| most.max(*value))
    };
    // What names the row: the cells that the question speaks of, or the first one.
    let best = most(&in_cells, &[]);
    let named =
        (0..row.len()).filter(|at| best > 0.0 && in_cells[*at] >= best * 0.5).filter(filled);
    let mut label: Vec<usize> = named.take(2).collect();
    if label.is_empty() {
        label.extend((0..row.len()).find(filled));
    }
    // What is asked of it: the columns that the question speaks of, or those of the kind that it asks for.
    let asked = most(&in_columns, &label);
    let rest = || (0..row.len()).filter(|at| !label.contains(at)).filter(filled);
    let mut values: Vec<usize> = if asked > 0.0 {
        rest().filter(|at| in_columns[*at] >= asked * 0.7).collect()
    } else {
        let number = |at: &usize| row[*at].chars().any(|c| c.is_ascii_digit());
        let wants = matches!(asks, Asks::HowLong | Asks::HowMany | Asks::HowMuch | Asks::When);
        let numbers: Vec<usize> = rest().filter(number).collect();
        if wants && numbers.len() == 1 { numbers } else { rest().collect() }
    };
    values.truncate(8);
    let label: Vec<&str> = label.iter().map(|at| row[*at].as_str()).collect();
    let said = values.iter().map(|at| match column(*at) {
        "" => row[*at].clone(),
        name => format!("{name}: {}", row[*at]),
    });
    let said: Vec<String> = said.collect();
    let end =
        if said.last().is_some_and(|last| last.ends_with(['.', '!', '?'])) { "" } else { "." };
    Some(if said.is_empty() {
        format!("{}{end}", label.join(", "))
    } else {
        format!("{} – {}{end}", label.join(", "), said.join("; "))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_are_read_with_what_is_escaped() {
        assert_eq!(cells(r"| a\|b | C:\dir |  |"), ["a|b", r"C:\dir", ""]);
        assert_eq!(cells("|"), [""]);
        assert_eq!(cells("| a | b"), ["a", "b"]);
    }
}
