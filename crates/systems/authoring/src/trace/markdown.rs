//! Text of a stranger in Markdown.

/// One line in which nothing is markup: no emphasis, no tag, no link, no end of a table's cell.
pub(super) fn inline(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.trim().chars() {
        match c {
            '\\' | '`' | '*' | '_' | '<' | '>' | '[' | ']' | '|' => {
                out.push('\\');
                out.push(c);
            }
            '&' => out.push_str("&amp;"),
            c if c.is_control() || matches!(c, '\u{2028}' | '\u{2029}') => out.push(' '),
            c => out.push(c),
        }
    }
    out
}

/// A paragraph: as [`inline`], and its first character opens no heading, list or quotation.
pub(super) fn paragraph(text: &str) -> String {
    let text = inline(text);
    if text.starts_with(['#', '-', '+', '~', '=']) { format!("\\{text}") } else { text }
}

/// A block of code whose fence no line of the text can close.
pub(super) fn block(text: &str, indent: &str) -> String {
    let longest = text.split(|c| c != '`').map(str::len).max().unwrap_or_default();
    let fence = "`".repeat(longest.max(2) + 1);
    let mut out = format!("{indent}{fence}text\n");
    for line in text.lines() {
        let line = line.replace(|c: char| c.is_control() && c != '\t', " ");
        out.push_str(&format!("{indent}{line}\n"));
    }
    out + indent + &fence + "\n"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_of_a_text_is_markup() {
        assert_eq!(inline("a | b\n<b> `c` *d* [e](f)"), r"a \| b \<b\> \`c\` \*d\* \[e\](f)");
        assert_eq!(paragraph("# no heading"), r"\# no heading");
        assert_eq!(block("```\nx", "   "), "   ````text\n   ```\n   x\n   ````\n");
    }
}
