//! Groups of digits, found once and shown to those who know a kind of number: cards first, then phones.

use std::ops::{Range, RangeInclusive};

use super::{Hit, card, phone};

/// The longest group that is looked at as one number.
const LONGEST: usize = 40;

/// Digits with single separators between them, and the signs that may stand around them.
pub(super) struct Group<'a> {
    pub(super) text: &'a str,
    pub(super) range: Range<usize>,
    pub(super) written: &'a str,
}

pub(super) fn find(text: &str, hits: &mut Vec<Hit>) {
    let bytes = text.as_bytes();
    let mut at = 0;
    while at < bytes.len() {
        let opens = matches!(bytes[at], b'+' | b'(');
        let starts = bytes[at].is_ascii_digit()
            || (opens && bytes[at + 1..].iter().take(2).any(u8::is_ascii_digit));
        if !starts {
            at += 1;
            continue;
        }
        let end = end_of(bytes, at);
        of_group(text, at..end, hits);
        at = end;
    }
}

/// More digits than a phone number has: several numbers, one after the other.
const MOST_OF_ONE: usize = 15;

/// Cards first, then phone numbers in what is left.
fn of_group(text: &str, range: Range<usize>, hits: &mut Vec<Hit>) {
    let parts = parts(text, &range);
    let mut from = 0;
    let mut rest = 0;
    while from < parts.len() {
        let card = lengths(&parts, from, card::LENGTHS).rev().find_map(|to| {
            let hit = judged(text, parts[from].start..parts[to].end, card::judge)?;
            Some((to, hit))
        });
        match card {
            Some((to, hit)) => {
                phones(text, &range, &parts[rest..from], hits);
                hits.push(hit);
                from = to + 1;
                rest = from;
            }
            None => from += 1,
        }
    }
    phones(text, &range, &parts[rest..], hits);
}

fn phones(text: &str, range: &Range<usize>, parts: &[Range<usize>], hits: &mut Vec<Hit>) {
    let (Some(first), Some(last)) = (parts.first(), parts.last()) else { return };
    // Signs that open a number belong to it.
    let start = if first.start - range.start <= 2 { range.start } else { first.start };
    if let Some(hit) = judged(text, start..last.end, phone::judge) {
        hits.push(hit);
        return;
    }
    let digits: usize = parts.iter().map(Range::len).sum();
    let mut several: Vec<Hit> = Vec::new();
    let mut all = true;
    let mut from = 0;
    while digits > MOST_OF_ONE && from < parts.len() {
        let found = lengths(parts, from, 7..=MOST_OF_ONE).rev().find_map(|to| {
            let opens = text[..parts[from].start].ends_with(['+', '(']);
            let start = parts[from].start - usize::from(opens);
            Some((to, judged(text, start..parts[to].end, phone::judge)?))
        });
        from = match found {
            Some((to, hit)) => {
                several.push(hit);
                to + 1
            }
            None => {
                all = false;
                from + 1
            }
        };
    }
    // Where something is left over, only what begins as no other number does is one.
    several.retain(|it| all || text[it.range.clone()].starts_with('+'));
    hits.append(&mut several);
}

/// Up to which parts a number may reach that begins with one, by how many digits it may have.
fn lengths(parts: &[Range<usize>], from: usize, digits: RangeInclusive<usize>) -> Range<usize> {
    let mut sum = 0;
    let mut reached = from..from;
    for (at, part) in parts.iter().enumerate().skip(from) {
        sum += part.len();
        if sum > *digits.end() {
            break;
        }
        reached = if sum < *digits.start() { at + 1..at + 1 } else { reached.start..at + 1 };
    }
    reached
}

/// The runs of digits in a group.
fn parts(text: &str, range: &Range<usize>) -> Vec<Range<usize>> {
    let mut parts: Vec<Range<usize>> = Vec::new();
    for (at, byte) in text.bytes().enumerate().take(range.end).skip(range.start) {
        match parts.last_mut() {
            _ if !byte.is_ascii_digit() => {}
            Some(last) if last.end == at => last.end += 1,
            Some(_) | None => parts.push(at..at + 1),
        }
    }
    parts
}

/// What a judge says of a range, unless letters right before or after make it a part of something else.
fn judged(text: &str, range: Range<usize>, judge: fn(&Group<'_>) -> Option<Hit>) -> Option<Hit> {
    let group = Group { text, written: text.get(range.clone())?, range };
    if super::is_in_word(text, &group.range) { None } else { judge(&group) }
}

/// Where a group ends: separators count only between digits, and at most two of them at once.
fn end_of(bytes: &[u8], start: usize) -> usize {
    let mut end = start + 1;
    let mut at = end;
    while at < bytes.len() && at - start < LONGEST {
        let byte = bytes[at];
        if byte.is_ascii_digit() {
            at += 1;
            end = at;
        } else if b" -.()/".contains(&byte) && at - end < 3 {
            at += 1;
        } else {
            break;
        }
    }
    // A group that is longer than a number can be is no number: all its digits belong to it.
    while end < bytes.len() && bytes[end].is_ascii_digit() {
        end += 1;
    }
    end
}
