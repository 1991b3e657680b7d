//! Reads the signature of a definition, and the first sentence of its documentation.
//!
//! Both are taken from lines, not from the tree: comments stand above what they are about in every
//! language, and grammars put them in as many places as there are grammars. Here the comment is
//! found, from its real beginning; what its first sentence is, [`sentence`] says.

use super::{Defined, sentence};
use crate::{Language, words};

/// Characters of a signature.
const LONGEST: usize = 300;
/// Lines above a definition that are looked at. Some types are explained on two hundred lines, and what
/// they are is said in the first.
const HIGHEST: usize = 600;
/// Bytes of such a line.
const WIDEST: usize = 4 << 10;
/// Lines that one attribute may take.
const ATTRIBUTE: usize = 20;
/// Bytes of a docstring that are read.
const DOCSTRING: usize = 4 << 10;

/// The definition from the line of its name up to its body, on one line.
pub(crate) fn signature(source: &[u8], lines: &[usize], defined: &Defined) -> String {
    let start = lines.get(defined.row).copied().unwrap_or(0);
    let line_end = line(source, lines, defined.row).len() + start;
    // All of a program may be on one line.
    let start = if defined.at > start + LONGEST { defined.at } else { start };
    let end = match defined.body {
        // The body of a `typedef struct { … } name` comes first.
        Some(body) if body > defined.at => body,
        Some(_) | None => line_end,
    };
    let end = end.min(start + 4 * LONGEST);
    let text = String::from_utf8_lossy(source.get(start..end).unwrap_or_default());
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let text = text.trim_end_matches([' ', '{', ':', ';', ',']).trim_end_matches("=>").trim_end();
    words::excerpt(text.as_bytes(), 0, LONGEST)
}

/// The first sentence of the comment above, or of a docstring.
pub(crate) fn doc(
    source: &[u8],
    lines: &[usize],
    language: Language,
    defined: &Defined,
) -> Option<String> {
    if language == Language::Python {
        return docstring(source.get(defined.body?..)?);
    }
    let top = defined.begin.min(defined.row);
    let comment = above(top, |row| {
        let line = line(source, lines, row);
        // Nobody comments on so wide a line.
        let line = if line.len() > WIDEST { &[] } else { line };
        String::from_utf8_lossy(line).trim().to_owned()
    });
    let documents = comment.iter().any(|(documents, _)| *documents);
    let text: Vec<&str> = comment
        .iter()
        // A note for whoever changes the code is not what the code is for, if somebody wrote that.
        .filter(|(as_documentation, _)| *as_documentation == documents)
        .map(|(_, text)| text.as_str())
        .collect();
    if documents { sentence::first(text, true) } else { sentence::of_note(&text) }
}

/// The bytes of a row, without its end.
pub(crate) fn line<'s>(source: &'s [u8], lines: &[usize], row: usize) -> &'s [u8] {
    let Some(&start) = lines.get(row) else { return &[] };
    let end = lines.get(row + 1).map_or(source.len(), |next| next - 1);
    let line = source.get(start..end).unwrap_or_default();
    line.strip_suffix(b"\n").unwrap_or(line)
}

/// The lines of the comments that end right above a row, from the top down, without their marks, and
/// whether each is written as documentation (`///`, `/**`). Attributes may stand anywhere among them.
fn above(row: usize, text: impl Fn(usize) -> String) -> Vec<(bool, String)> {
    let lowest = row.saturating_sub(HIGHEST);
    let mut found = Vec::new();
    let mut next = row;
    while next > lowest {
        next -= 1;
        let raw = text(next);
        if raw.starts_with("//") {
            // `//!` is about the file.
            if raw.starts_with("//!") {
                break;
            }
            let documents = raw.starts_with("///") && !raw.starts_with("////");
            found.push((documents, strip(&raw)));
        } else if raw.ends_with("*/") {
            let Some(block) = block(next, lowest, &text) else { break };
            found.extend(block);
            // A second block above it is about something else.
            break;
        } else if let Some(first) = attribute(next, lowest, &text) {
            next = first;
        } else {
            break;
        }
    }
    found.reverse();
    found
}

/// The lines of the block comment that ends in this row, from the bottom up. A comment after code is
/// about that code, and one without a beginning is none.
fn block(end: usize, lowest: usize, text: impl Fn(usize) -> String) -> Option<Vec<(bool, String)>> {
    let mut lines = Vec::new();
    for row in (lowest..=end).rev() {
        let raw = text(row);
        lines.push(strip(&raw));
        if raw.starts_with("/*") {
            let documents = raw.starts_with("/**") || raw.starts_with("/*!");
            return Some(lines.into_iter().map(|line| (documents, line)).collect());
        }
        if raw.contains("/*") {
            break;
        }
    }
    None
}

/// The first row of the attribute that ends in this row.
fn attribute(end: usize, lowest: usize, text: impl Fn(usize) -> String) -> Option<usize> {
    let raw = text(end);
    if is_attribute(&raw) {
        return Some(end);
    }
    if !raw.ends_with(']') && !raw.ends_with(')') {
        return None;
    }
    for row in (lowest..end).rev().take(ATTRIBUTE) {
        let raw = text(row);
        if is_attribute(&raw) {
            let open = raw.matches(['(', '[']).count() > raw.matches([')', ']']).count();
            return open.then_some(row);
        }
        if raw.is_empty() || raw.ends_with([';', '{', '}']) {
            break;
        }
    }
    None
}

fn is_attribute(line: &str) -> bool {
    line.starts_with("#[")
        || line.starts_with('@')
        || line.starts_with("template")
        || (line.starts_with('[') && line.ends_with(']'))
}

/// A line of a comment without its marks.
fn strip(line: &str) -> String {
    let line = line.trim_start_matches('/').trim_start_matches(['*', '!']);
    line.trim_end_matches('/').trim_end_matches('*').trim().to_owned()
}

fn docstring(body: &[u8]) -> Option<String> {
    let text = String::from_utf8_lossy(&body[..body.len().min(DOCSTRING)]);
    let text = text.trim_start().trim_start_matches(['r', 'R', 'u', 'U', 'b', 'f']);
    let quote = ["\"\"\"", "'''", "\"", "'"].into_iter().find(|quote| text.starts_with(quote))?;
    let text = &text[quote.len()..];
    let text = text.split_once(quote).map_or(text, |(text, _)| text);
    sentence::first(text.lines(), false)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What the last line of a text is documented with.
    fn documented(text: &str) -> Option<String> {
        let lines = super::super::rows(text.as_bytes());
        let row = text.lines().count() - 1;
        let at = lines[row];
        let defined = Defined {
            name: "it".to_owned(),
            kind: crate::Kind::Struct,
            container: None,
            at,
            body: None,
            begin: row,
            row,
            end: row,
        };
        doc(text.as_bytes(), &lines, Language::Rust, &defined)
    }

    #[test]
    fn a_long_comment_is_read_from_its_beginning() {
        let more = "/// More about it, which is not short.\n".repeat(150);
        let text = format!("/// An asynchronous `Mutex`-like type.\n///\n{more}pub struct it;");
        assert_eq!(documented(&text).as_deref(), Some("An asynchronous `Mutex`-like type."));
        let endless = "/// more\n".repeat(2_000);
        assert!(documented(&format!("{endless}struct it;")).is_some());
    }

    #[test]
    fn attributes_may_stand_among_the_lines() {
        for text in [
            "/// What it is.\n#[derive(Debug)]\nstruct it;",
            "/// What it is.\n#[cfg_attr(\n    docsrs,\n    doc(cfg(feature = \"x\"))\n)]\nstruct it;",
            "/// What it is.\n#[must_use]\n/// And more.\nstruct it;",
            "/// What it is.\n// A note for maintainers.\nstruct it;",
            "// A note for maintainers.\n/// What it is.\nstruct it;",
            "/** What it is. */\n// note to self\nstruct it;",
        ] {
            assert_eq!(documented(text).as_deref(), Some("What it is."), "{text}");
        }
    }

    #[test]
    fn what_is_about_something_else_is_no_documentation() {
        for text in [
            "//! The file.\nstruct it;",
            "let x = 1; /* about\n x */\nstruct it;",
            "/// Of another.\n\nstruct it;",
            "// dox\nstruct it;",
            "x */\nstruct it;",
            "// -------------\nstruct it;",
            "// eslint-disable-next-line no-console\nstruct it;",
            "call(\n    1)\nstruct it;",
        ] {
            assert_eq!(documented(text), None, "{text}");
        }
        assert_eq!(documented("// What it is\nstruct it;").as_deref(), Some("What it is"));
    }
}
