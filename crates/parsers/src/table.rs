//! Tables as Markdown.

use crate::document::one_line;

/// A table as Markdown. The first row is its heading; rows are filled up to the longest. Columns that are empty in
/// every row are left out, and so are empty rows.
pub(crate) fn markdown(rows: &[Vec<String>]) -> String {
    let rows: Vec<Vec<String>> = rows
        .iter()
        .map(|row| row.iter().map(|cell| cell_text(cell)).collect::<Vec<_>>())
        .filter(|row| row.iter().any(|cell| !cell.is_empty()))
        .collect();
    let wide = rows.iter().map(Vec::len).max().unwrap_or(0);
    let kept: Vec<usize> = (0..wide)
        .filter(|column| {
            rows.iter().any(|row| row.get(*column).is_some_and(|cell| !cell.is_empty()))
        })
        .collect();
    let mut text = String::new();
    for (at, row) in rows.iter().enumerate() {
        line(&mut text, kept.iter().map(|column| row.get(*column).map_or("", String::as_str)));
        if at == 0 {
            line(&mut text, kept.iter().map(|_| "---"));
        }
    }
    text.truncate(text.trim_end().len());
    text
}

/// Rows that go on with a table: no heading, no rule, and every column, so that they stand below those above.
pub(crate) fn rows(rows: &[Vec<String>]) -> String {
    let mut text = String::new();
    for row in rows {
        let cells: Vec<String> = row.iter().map(|cell| cell_text(cell)).collect();
        if cells.iter().any(|cell| !cell.is_empty()) {
            line(&mut text, cells.iter().map(String::as_str));
        }
    }
    text.truncate(text.trim_end().len());
    text
}

fn line<'a>(text: &mut String, cells: impl Iterator<Item = &'a str>) {
    text.push('|');
    for cell in cells {
        text.push(' ');
        text.push_str(cell);
        text.push_str(" |");
    }
    text.push('\n');
}

fn cell_text(cell: &str) -> String {
    one_line(cell).replace('|', "\\|")
}

/// The cells of a row of a Markdown table. None when the line is not one.
pub(crate) fn cells(line: &str) -> Option<Vec<String>> {
    let inner = line.trim().strip_prefix('|')?;
    let inner = inner.strip_suffix('|').unwrap_or(inner);
    let mut cells = vec![String::new()];
    let mut escaped = false;
    for c in inner.chars() {
        match (escaped, c) {
            (false, '\\') => escaped = true,
            (false, '|') => cells.push(String::new()),
            (_, c) => {
                if let Some(cell) = cells.last_mut() {
                    if escaped && c != '|' {
                        cell.push('\\');
                    }
                    cell.push(c);
                }
                escaped = false;
            }
        }
    }
    Some(cells.iter().map(|cell| cell.trim().to_owned()).collect())
}

/// Whether a line is the one below a table's heading.
pub(crate) fn is_rule(line: &str) -> bool {
    cells(line).is_some_and(|cells| {
        !cells.is_empty()
            && cells.iter().all(|cell| {
                let dashes = cell.trim_matches(':');
                !dashes.is_empty() && dashes.bytes().all(|byte| byte == b'-')
            })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_is_read_back_as_it_was_written() {
        let rows = vec![
            vec!["a|b".to_owned(), "c\nd".to_owned()],
            vec!["1".to_owned()],
            vec![String::new(), String::new()],
            vec!["x".to_owned(), "C:\\dir".to_owned()],
        ];
        let text = markdown(&rows);
        assert_eq!(text, "| a\\|b | c d |\n| --- | --- |\n| 1 |  |\n| x | C:\\dir |");
        let lines: Vec<_> = text.lines().collect();
        assert_eq!(cells(lines[0]).unwrap(), ["a|b", "c d"]);
        assert_eq!(cells(lines[3]).unwrap(), ["x", "C:\\dir"]);
        assert!(is_rule(lines[1]) && !is_rule(lines[0]));
    }

    #[test]
    fn columns_without_a_word_are_left_out() {
        let rows = vec![vec!["a".into(), String::new(), "b".into()], vec!["c".into()]];
        assert_eq!(markdown(&rows), "| a | b |\n| --- | --- |\n| c |  |");
    }
}
