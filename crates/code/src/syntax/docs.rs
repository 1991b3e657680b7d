//! How a definition reads: its signature, and the first sentence of its documentation.
//!
//! Both are taken from lines, not from the tree: comments stand above what they are about in every
//! language, and grammars put them in as many places as there are grammars.

use super::Defined;
use crate::{Language, words};

/// Characters of a signature and of a sentence.
const LONGEST: usize = 300;
/// Lines above a definition that are looked at.
const HIGHEST: usize = 60;

/// The definition from the line of its name up to its body, on one line.
pub(crate) fn signature(source: &[u8], lines: &[usize], defined: &Defined) -> String {
    let start = lines.get(defined.row).copied().unwrap_or(0);
    let line_end = line(source, lines, defined.row).len() + start;
    let end = match defined.body {
        // The body of a `typedef struct { … } name` comes first.
        Some(body) if body > defined.at => body.min(start + 4 * LONGEST),
        Some(_) | None => line_end,
    };
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
    let mut found = Vec::new();
    let mut in_block = false;
    for row in (0..defined.begin.min(defined.row)).rev().take(HIGHEST) {
        let raw = String::from_utf8_lossy(line(source, lines, row)).trim().to_owned();
        if in_block {
            in_block = !raw.starts_with("/*");
            found.push(strip(&raw));
        } else if raw.ends_with("*/") {
            in_block = !raw.starts_with("/*");
            // A comment after code is about that code.
            if in_block && !raw.starts_with('*') {
                break;
            }
            found.push(strip(&raw));
        } else if raw.starts_with("//") {
            // `//!` is about the file.
            if raw.starts_with("//!") {
                break;
            }
            found.push(strip(&raw));
        } else if found.is_empty() && is_attribute(&raw) {
            continue;
        } else {
            break;
        }
        if !in_block && raw.starts_with("/*") {
            break;
        }
    }
    found.reverse();
    first_sentence(found.iter().map(String::as_str))
}

/// The bytes of a row, without its end.
pub(crate) fn line<'s>(source: &'s [u8], lines: &[usize], row: usize) -> &'s [u8] {
    let Some(&start) = lines.get(row) else { return &[] };
    let end = lines.get(row + 1).map_or(source.len(), |next| next - 1);
    let line = source.get(start..end).unwrap_or_default();
    line.strip_suffix(b"\n").unwrap_or(line)
}

fn is_attribute(line: &str) -> bool {
    line.starts_with("#[")
        || line.starts_with('@')
        || line.starts_with("template")
        || (line.starts_with('[') && line.ends_with(']'))
}

fn strip(line: &str) -> String {
    let line = line.trim_start_matches('/').trim_start_matches(['*', '!']);
    line.trim_end_matches('/').trim_end_matches('*').trim().to_owned()
}

fn docstring(body: &[u8]) -> Option<String> {
    let text = String::from_utf8_lossy(&body[..body.len().min(4 * LONGEST)]);
    let text = text.trim_start().trim_start_matches(['r', 'R', 'u', 'U', 'b', 'f']);
    let quote = ["\"\"\"", "'''", "\"", "'"].into_iter().find(|quote| text.starts_with(quote))?;
    let text = &text[quote.len()..];
    let text = text.split_once(quote).map_or(text, |(text, _)| text);
    first_sentence(text.lines())
}

fn first_sentence<'a>(lines: impl Iterator<Item = &'a str>) -> Option<String> {
    let mut sentence = String::new();
    for line in lines {
        let line = untagged(line.trim());
        let line = line.trim();
        if line.starts_with('@') || (line.is_empty() && !sentence.is_empty()) {
            break;
        }
        if line.is_empty() {
            continue;
        }
        if !sentence.is_empty() {
            sentence.push(' ');
        }
        sentence.push_str(line);
        if let Some(end) = sentence.find(". ") {
            sentence.truncate(end + 1);
            break;
        }
        if line.ends_with('.') || sentence.len() > 4 * LONGEST {
            break;
        }
    }
    (!sentence.is_empty()).then(|| words::excerpt(sentence.as_bytes(), 0, LONGEST))
}

/// Without the tags that C# documents with.
fn untagged(line: &str) -> String {
    let mut line = line.to_owned();
    for tag in ["<summary>", "</summary>", "<remarks>", "</remarks>", "<p>"] {
        line = line.replace(tag, "");
    }
    line
}
