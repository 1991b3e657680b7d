//! Sentences, items and rows.

use std::{ops::Range, sync::LazyLock};

use regex::Regex;
use unicode_segmentation::UnicodeSegmentation;

use super::{Lines, Taken, cut::Cut};
use crate::Issue;

static ITEM: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"^[\s>]*(?:[-*+]|\d+[.)])\s+(?:\[[ xX]\]\s+)?")
        .expect("the pattern is a constant that a test compiles")
});

/// The row, the item or the sentence that a reference stands in.
pub(super) fn find(text: &str, lines: &Lines, issue: &Issue) -> Option<Cut> {
    let line = |number: usize| &text[lines.bytes(number, number)];
    let here = line(issue.line);
    if here.trim_start().starts_with('|') {
        let is_rule = |row: &str| row.chars().all(|c| "|-: \t\r\n".contains(c));
        let is_head = issue.line < lines.count() && is_rule(line(issue.line + 1));
        return (!is_head).then(|| Cut::new(lines.bytes(issue.line, issue.line), Taken::Line));
    }
    let is_end = |number: usize| {
        let line = line(number).trim();
        line.is_empty() || line.starts_with(['|', '#', '`', '~', '<'])
    };
    let (mut first, mut last) = (issue.line, issue.line);
    while first > 1 && !ITEM.is_match(line(first)) && !is_end(first - 1) {
        first -= 1;
    }
    while last < lines.count() && !is_end(last + 1) && !ITEM.is_match(line(last + 1)) {
        last += 1;
    }
    let all = lines.bytes(first, last);
    let marker = ITEM.find(line(first)).map_or(0, |marker| marker.end());
    let body = all.start + marker..all.end;
    let whole = Cut::new(all.clone(), Taken::Line);
    // Of a table without bars in front, or of HTML, only the line can be taken.
    let at = lines.bytes(issue.line, issue.line).start.max(body.start);
    let Some(place) = text[at..body.end].find(issue.reference.as_str()).map(|place| at + place)
    else {
        return Some(whole);
    };
    let sentence = sentences(&text[body.clone()])
        .into_iter()
        .map(|range| body.start + range.start..body.start + range.end)
        .find(|range| range.contains(&place));
    let Some(sentence) = sentence else { return Some(whole) };
    let left = [&text[body.start..sentence.start], &text[sentence.end..body.end]].concat();
    if left.trim().is_empty() {
        return Some(whole);
    }
    // The end of the line stays where the last sentence goes.
    let trimmed = text[sentence.clone()].trim_end().len();
    let end = if sentence.end == body.end { sentence.start + trimmed } else { sentence.end };
    Some(Cut::new(sentence.start..end, Taken::Sentence))
}

/// As Unicode has them (UAX 29), but for line breaks and what stands in code or in the target of a link.
fn sentences(text: &str) -> Vec<Range<usize>> {
    let mut code = false;
    let mut target = 0_usize;
    let mut previous = ' ';
    let masked: String = text
        .chars()
        .map(|c| {
            let was = (code, target);
            match c {
                '`' => code = !code,
                '(' if previous == ']' && !code => target = 1,
                '(' if target > 0 => target += 1,
                ')' if target > 0 => target -= 1,
                _ => {}
            }
            previous = c;
            let hidden = was.0 || code || was.1 > 0 || target > 0;
            // As many bytes as there were.
            match c {
                '\n' | '\r' => " ".to_owned(),
                c if hidden => "x".repeat(c.len_utf8()),
                c => c.to_string(),
            }
        })
        .collect();
    let mut at = 0;
    masked
        .split_sentence_bounds()
        .map(|sentence| {
            let start = at;
            at += sentence.len();
            start..at
        })
        .collect()
}
