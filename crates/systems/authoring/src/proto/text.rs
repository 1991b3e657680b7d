//! Text of a stranger, made fit for Markdown and for one line of a manifest.

/// One line without control characters and marks that reorder text, of at most `most` characters.
pub(super) fn one_line(text: &str, most: usize) -> String {
    let words: Vec<String> = text
        .split_whitespace()
        .map(|word| word.chars().filter(|c| is_plain(*c)).collect())
        .filter(|word: &String| !word.is_empty())
        .collect();
    shorten(&words.join(" "), most)
}

/// The text as it is read, in Markdown: nothing in it is a link, a heading or HTML.
pub(super) fn markdown(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        if matches!(c, '\\' | '`' | '*' | '_' | '[' | ']' | '<' | '>' | '|' | '#' | '&' | '~' | '!')
        {
            out.push('\\');
        }
        out.push(c);
    }
    out
}

/// The text as a block quote, of at most `most` characters.
pub(super) fn quote(text: &str, most: usize) -> String {
    let lines: Vec<String> = shorten(text.trim(), most)
        .lines()
        .map(|line| {
            let plain: String = line.trim().chars().filter(|c| is_plain(*c)).collect();
            format!("> {}", markdown(&plain)).trim_end().to_owned()
        })
        .collect();
    lines.join("\n")
}

/// A string of JSON, which is one of TOML and of Python too, because control characters are gone.
pub(super) fn json_string(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

fn shorten(text: &str, most: usize) -> String {
    match text.char_indices().nth(most) {
        None => text.into(),
        Some(_) => text.chars().take(most.saturating_sub(1)).chain(['…']).collect(),
    }
}

fn is_plain(c: char) -> bool {
    !c.is_control()
        && !matches!(c, '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn markdown_has_no_meaning_left() {
        assert_eq!(markdown("# [x](y) <b> `z`"), "\\# \\[x\\](y) \\<b\\> \\`z\\`");
        assert_eq!(quote("a\n\n<script>\r\nb", 100), "> a\n>\n> \\<script\\>\n> b");
    }

    #[test]
    fn a_line_has_no_control_characters_and_an_end() {
        assert_eq!(one_line(" a\n\tb\u{7f}\u{202e} c ", 100), "a b c");
        assert_eq!(one_line("abcdef", 4), "abc…");
    }
}
