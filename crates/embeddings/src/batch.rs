//! Texts of about the same length, so that little is spent on padding.

use std::ops::Range;

/// The most texts at a time: more do not go faster, and keep a batch from ending.
const MOST: usize = 8;

/// The most of a batch that may be padding.
const PADDING: f64 = 0.1;

/// Cuts a list of lengths, in rising order, into batches.
pub(crate) fn batches(lengths: &[usize]) -> Vec<Range<usize>> {
    let mut batches = Vec::new();
    let (mut from, mut sum) = (0, 0);
    for (at, length) in lengths.iter().enumerate() {
        let count = at - from + 1;
        let all = (length * count) as f64;
        let is_loose = all - (sum + length) as f64 > PADDING * all;
        if at > from && (count > MOST || is_loose) {
            batches.push(from..at);
            (from, sum) = (at, 0);
        }
        sum += length;
    }
    if from < lengths.len() {
        batches.push(from..lengths.len());
    }
    batches
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_of_about_one_length_go_together() {
        assert_eq!(batches(&[]), [0..0; 0]);
        assert_eq!(batches(&[3]), vec![Range { start: 0, end: 1 }]);
        assert_eq!(batches(&[10, 10, 11, 100, 105]), [0..3, 3..5]);
        assert_eq!(batches(&[7; 20]), [0..8, 8..16, 16..20]);
    }
}
