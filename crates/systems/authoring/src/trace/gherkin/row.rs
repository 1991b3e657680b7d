//! Rows of tables.

/// The cells of a line that begins with `|`. `\|`, `\\` and `\n` are escapes; any other backslash
/// is itself. What follows the last `|` is no cell.
pub(super) fn cells(line: &str) -> Vec<String> {
    let mut cells = Vec::new();
    let mut cell = String::new();
    let mut chars = line.trim().chars().skip(1);
    while let Some(c) = chars.next() {
        match c {
            '|' => cells.push(trimmed(&std::mem::take(&mut cell))),
            '\\' => match chars.next() {
                Some('n') => cell.push('\n'),
                Some(c @ ('|' | '\\')) => cell.push(c),
                Some(c) => cell.extend(['\\', c]),
                None => cell.push('\\'),
            },
            c => cell.push(c),
        }
    }
    cells
}

/// A cell without the blanks around it; line breaks are content.
fn trimmed(cell: &str) -> String {
    cell.trim_matches(|c: char| c.is_whitespace() && c != '\n').to_owned()
}

/// The row as Gherkin writes it.
pub(super) fn write(cells: &[String]) -> String {
    let escaped =
        |cell: &String| cell.replace('\\', "\\\\").replace('|', "\\|").replace('\n', "\\n");
    let cells: Vec<String> = cells.iter().map(escaped).collect();
    format!("| {} |", cells.join(" | "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_keep_their_escapes_and_lose_their_padding() {
        for (line, expected) in [
            ("| a |  b |", vec!["a", "b"]),
            (r"| a\|b | C:\temp | \\ | x\ny |", vec!["a|b", r"C:\temp", r"\", "x\ny"]),
            ("||a|", vec!["", "a"]),
            ("| boz | ", vec!["boz"]),
            ("|", vec![]),
        ] {
            assert_eq!(cells(line), expected, "{line}");
        }
        assert_eq!(write(&cells(r"| a\|b | x\ny |")), r"| a\|b | x\ny |");
    }
}
