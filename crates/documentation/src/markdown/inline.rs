//! Code spans and links of a paragraph.

use std::sync::LazyLock;

use regex::Regex;

use super::{
    Document, Link, Prose, Span,
    blocks::{Paragraph, pattern},
};

static TARGET: LazyLock<Regex> = LazyLock::new(|| {
    pattern(r#"\]\(\s*<?((?:[^\s()<>]|\([^\s()]*\))*)>?(?:\s+["'(][^\n]*?["')])?\s*\)"#)
});
static BY_LABEL: LazyLock<Regex> = LazyLock::new(|| pattern(r"\]\[([^\[\]\n]+)\]"));
static LABEL: LazyLock<Regex> =
    LazyLock::new(|| pattern(r"(?m)^\s{0,3}\[([^\]\n]+)\]:\s*<?(\S+?)>?(?:\s|$)"));
static HTML: LazyLock<Regex> = LazyLock::new(|| {
    pattern(r#"(?is)<(?:a|img|source|video)\b[^<>]*?\s(?:href|src)\s*=\s*["']([^"']*)["']"#)
});
static ANCHOR: LazyLock<Regex> =
    LazyLock::new(|| pattern(r#"(?is)<[a-z][^<>]*?\s(?:name|id)\s*=\s*["']?([^"'\s<>]+)"#));
static PANDOC_ANCHOR: LazyLock<Regex> =
    LazyLock::new(|| pattern(r"\{:?\s*#([A-Za-z0-9_.:-]+)[^{}]*\}"));
static CODE_TAG: LazyLock<Regex> = LazyLock::new(|| pattern(r"(?is)<code>([^<>]*)</code>"));

pub(super) fn read(paragraph: &Paragraph, document: &mut Document) {
    let text = &paragraph.text;
    let line_at = |offset: usize| paragraph.line + text[..offset].matches('\n').count();
    let (masked, found) = code_spans(text);
    let mut links: Vec<(usize, usize, Link)> = Vec::new();
    for target in TARGET.captures_iter(&masked) {
        let Some(at) = target.get(0) else { continue };
        let start = opening(&masked, at.start());
        let words = text.get(start + 1..at.start()).unwrap_or("").to_owned();
        // The target itself may hold a backtick; then it was a span, and is none.
        let target = target.get(1).map_or("", |target| &text[target.range()]).to_owned();
        links.push((
            start,
            at.end(),
            Link { line: line_at(at.start()), text: words, target, by_label: false },
        ));
    }
    for label in BY_LABEL.captures_iter(&masked) {
        let Some(at) = label.get(0) else { continue };
        let start = opening(&masked, at.start());
        let words = text.get(start + 1..at.start()).unwrap_or("").to_owned();
        let target = label.get(1).map_or("", |label| &text[label.range()]).to_owned();
        links.push((
            start,
            at.end(),
            Link { line: line_at(at.start()), text: words, target, by_label: true },
        ));
    }
    for tag in HTML.captures_iter(&masked) {
        let Some(at) = tag.get(1) else { continue };
        let end = masked[at.end()..].find("</a>").map_or(at.end(), |end| at.end() + end);
        let target = at.as_str().to_owned();
        links.push((
            at.start(),
            end,
            Link { line: line_at(at.start()), text: String::new(), target, by_label: false },
        ));
    }
    for label in LABEL.captures_iter(&masked) {
        let (Some(name), Some(at)) = (label.get(1), label.get(2)) else { continue };
        document.labels.push(text[name.range()].to_lowercase());
        let target = text[at.range()].to_owned();
        links.push((
            at.start(),
            at.end(),
            Link { line: line_at(at.start()), text: String::new(), target, by_label: false },
        ));
    }
    document.anchors.extend(ANCHOR.captures_iter(&masked).map(|anchor| anchor[1].to_owned()));
    document
        .anchors
        .extend(PANDOC_ANCHOR.captures_iter(&masked).map(|anchor| anchor[1].to_owned()));
    for (start, end, code) in found {
        let around = links.iter().find(|(from, to, _)| *from <= start && end <= *to);
        // `[`name`]` alone is a link of rustdoc or to a label further down.
        let bracketed = text[..start].ends_with('[') && text[end..].starts_with(']');
        let linked = around
            .map(|(_, _, link)| link.target.clone())
            .or_else(|| bracketed.then(|| code.clone()));
        let mut from = start.saturating_sub(80);
        while !text.is_char_boundary(from) {
            from += 1;
        }
        let mut to = (end + 60).min(text.len());
        while !text.is_char_boundary(to) {
            to -= 1;
        }
        document.spans.push(Span {
            line: line_at(start),
            text: code,
            linked,
            before: text[from..start].to_owned(),
            after: text[end..to].to_owned(),
            in_table: paragraph.is_row,
        });
    }
    document.links.extend(links.into_iter().map(|(_, _, link)| link));
    document.prose.push(Prose { line: paragraph.line, text: masked });
}

/// The spans with their places, and the text with blanks in place of them.
fn code_spans(text: &str) -> (String, Vec<(usize, usize, String)>) {
    let bytes = text.as_bytes();
    let mut masked = text.to_owned().into_bytes();
    let mut found = Vec::new();
    let mut at = 0;
    while at < bytes.len() {
        match bytes[at] {
            b'\\' => at += 2,
            b'`' => {
                let run = bytes[at..].iter().take_while(|byte| **byte == b'`').count();
                let Some(end) = closing(bytes, at + run, run) else {
                    at += run;
                    continue;
                };
                let code = text[at + run..end].replace('\n', " ");
                let code = match code.strip_prefix(' ').and_then(|code| code.strip_suffix(' ')) {
                    Some(inner) if !inner.trim().is_empty() => inner.to_owned(),
                    _ => code,
                };
                for byte in &mut masked[at..end + run] {
                    if *byte != b'\n' {
                        *byte = b' ';
                    }
                }
                found.push((at, end + run, code));
                at = end + run;
            }
            _ => at += 1,
        }
    }
    let masked = String::from_utf8(masked).unwrap_or_else(|_| text.to_owned());
    for tag in CODE_TAG.captures_iter(&masked) {
        if let (Some(all), Some(code)) = (tag.get(0), tag.get(1)) {
            found.push((
                all.start(),
                all.end(),
                code.as_str().replace("&lt;", "<").replace("&gt;", ">"),
            ));
        }
    }
    found.sort_by_key(|(start, _, _)| *start);
    (masked, found)
}

fn closing(bytes: &[u8], mut at: usize, run: usize) -> Option<usize> {
    while at < bytes.len() {
        if bytes[at] != b'`' {
            at += 1;
            continue;
        }
        let length = bytes[at..].iter().take_while(|byte| **byte == b'`').count();
        if length == run {
            return Some(at);
        }
        at += length;
    }
    None
}

/// Where the bracket of a link opens whose text ends here.
fn opening(text: &str, end: usize) -> usize {
    let mut depth = 0;
    for (at, byte) in text.as_bytes()[..end].iter().enumerate().rev() {
        match byte {
            b']' => depth += 1,
            b'[' if depth == 0 => return at,
            b'[' => depth -= 1,
            _ => {}
        }
    }
    end
}
