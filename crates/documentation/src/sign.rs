//! Says under each section who wrote it.

use super::{markdown::Document, merge::MARK};

/// The mark of a writer: invisible where Markdown is rendered.
#[must_use]
pub fn mark(writer: &str) -> String {
    let name: String = writer
        .chars()
        .filter(|c| c.is_ascii_alphanumeric() || "._/:-".contains(*c))
        .take(80)
        .collect();
    // Two hyphens would end the comment.
    format!("{MARK} {} -->", name.replace("--", "-"))
}

/// The document with the writer's mark at the end of each section that has none.
#[must_use]
pub fn sign(text: &str, writer: &str) -> String {
    let document = Document::read(text);
    let lines: Vec<&str> = text.lines().collect();
    let starts: Vec<usize> = document
        .headings
        .iter()
        .filter(|heading| heading.level == 2)
        .map(|heading| heading.line - 1)
        .collect();
    let mut out = String::new();
    let mut from = 0;
    for end in starts.into_iter().chain([lines.len()]) {
        let part = lines[from.min(end)..end].join("\n");
        let part = part.trim_end();
        if !part.trim().is_empty() {
            if !out.is_empty() {
                out.push('\n');
            }
            out.push_str(part);
            out.push('\n');
            if !part.contains(MARK) && !is_only_front(&document, end) {
                out.push('\n');
                out.push_str(&mark(writer));
                out.push('\n');
            }
        }
        from = end;
    }
    out
}

/// Front matter alone is no section.
fn is_only_front(document: &Document, end: usize) -> bool {
    end > 0 && end <= document.front_matter
}
