//! Groups of digits, found once and shown to those who know a kind of number: cards first, then phones.

use std::ops::Range;

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
        let group = Group { text, range: at..end, written: &text[at..end] };
        // Letters right before or after make it a part of something else.
        if !super::is_in_word(text, &group.range)
            && let Some(hit) = card::judge(&group).or_else(|| phone::judge(&group))
        {
            hits.push(hit);
        }
        at = end;
    }
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
