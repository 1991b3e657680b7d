//! Replaces small parts of a text, and keeps track of where the rest came from, so that errors can
//! name a place in the original.

use std::borrow::Cow;

/// More replacements than any model's slip needs. It bounds what is kept about them.
const MOST: usize = 100_000;

/// Part of a text, from a place that is known to one that is found on the way.
#[derive(Debug)]
pub(super) struct Splice<'t> {
    text: &'t str,
    start: usize,
    /// How far the text has been taken over.
    taken: usize,
    out: String,
    /// From this offset in what was made, it runs like the text from that offset.
    joints: Vec<(usize, usize)>,
}

impl<'t> Splice<'t> {
    pub(super) fn new(text: &'t str, start: usize) -> Self {
        Self { text, start, taken: start, out: String::new(), joints: vec![(0, start)] }
    }

    /// Puts `with` in place of a range that lies behind every range before. `None` if there have been
    /// too many.
    pub(super) fn replace(&mut self, from: usize, to: usize, with: &str) -> Option<()> {
        if self.joints.len() > MOST {
            return None;
        }
        self.out.push_str(&self.text[self.taken..from]);
        self.out.push_str(with);
        self.taken = to;
        self.joints.push((self.out.len(), to));
        Some(())
    }

    /// Everything up to `end`, and then `tail`.
    pub(super) fn finish(mut self, end: usize, tail: &str) -> Spliced<'t> {
        if self.joints.len() == 1 && tail.is_empty() {
            return Spliced {
                text: Cow::Borrowed(&self.text[self.start..end]),
                joints: self.joints,
            };
        }
        self.out.push_str(&self.text[self.taken..end]);
        self.out.push_str(tail);
        Spliced { text: Cow::Owned(self.out), joints: self.joints }
    }
}

/// What came of it.
#[derive(Debug)]
pub(super) struct Spliced<'t> {
    pub(super) text: Cow<'t, str>,
    joints: Vec<(usize, usize)>,
}

impl Spliced<'_> {
    /// Where in the text as it came a place of this text is.
    pub(super) fn origin(&self, offset: usize) -> usize {
        let joint = self.joints.partition_point(|(made, _)| *made <= offset).saturating_sub(1);
        let (made, came) = self.joints[joint];
        came + offset.saturating_sub(made)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_is_found_again_in_the_text_as_it_came() {
        let mut splice = Splice::new("..[1,\t2,]..", 2);
        splice.replace(5, 6, "\\t").unwrap();
        splice.replace(7, 8, "").unwrap();
        let spliced = splice.finish(9, "!");
        assert_eq!(spliced.text, "[1,\\t2]!");
        for (made, came) in [(0, 2), (2, 4), (5, 6), (6, 8)] {
            assert_eq!(spliced.origin(made), came, "{made}");
        }
    }

    #[test]
    fn an_untouched_text_is_not_copied() {
        assert!(matches!(Splice::new("[1]", 0).finish(3, "").text, Cow::Borrowed("[1]")));
    }
}
