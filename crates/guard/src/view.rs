//! A text as it is compared, and where each byte of it comes from.
//!
//! [`View::plain`] is what a person reads: NFKC, without characters that show nothing, all digits ASCII. [`View::folded`]
//! is what words are looked for in: small letters, no accents, letters that look like others (UTS 39) replaced by
//! those, each run of spaces one. Rules and patterns pass through the same fold, so a Russian word stays findable though
//! half its letters look Latin.

use std::ops::Range;

use unicode_normalization::UnicodeNormalization;
use unicode_security::confusable_detection::skeleton;

/// A text derived from another, byte for byte accounted for.
#[derive(Debug, Default)]
pub(crate) struct View {
    pub(crate) text: String,
    /// For each byte of `text` where its character begins in the source.
    starts: Vec<u32>,
    /// And where it ends.
    ends: Vec<u32>,
}

impl View {
    pub(crate) fn plain(source: &str) -> Self {
        let mut view = Self::with_capacity(source.len());
        for (at, c) in source.char_indices() {
            let from = at..at + c.len_utf8();
            if c.is_ascii() {
                view.push(c, from);
            } else if !is_invisible(c) {
                for c in std::iter::once(c).nfkc() {
                    view.push(ascii_digit(c), from.clone());
                }
            }
        }
        view
    }

    pub(crate) fn folded(source: &str) -> Self {
        let mut view = Self::with_capacity(source.len());
        for (at, c) in source.char_indices() {
            let from = at..at + c.len_utf8();
            if c.is_ascii() && !c.is_ascii_whitespace() {
                view.push(c.to_ascii_lowercase(), from);
            } else if c.is_whitespace() || c == '\u{85}' {
                view.space(c, from);
            } else if !is_invisible(c) {
                fold(c, |c| {
                    if c.is_whitespace() {
                        view.space(c, from.clone());
                    } else {
                        view.push(c, from.clone());
                    }
                });
            }
        }
        view
    }

    fn with_capacity(bytes: usize) -> Self {
        Self {
            text: String::with_capacity(bytes),
            starts: Vec::with_capacity(bytes),
            ends: Vec::with_capacity(bytes),
        }
    }

    pub(crate) fn push(&mut self, c: char, from: Range<usize>) {
        self.text.push(c);
        let at = |it: usize| u32::try_from(it).unwrap_or(u32::MAX);
        self.starts.resize(self.text.len(), at(from.start));
        self.ends.resize(self.text.len(), at(from.end));
    }

    /// A run of spaces is one, a run with line ends one line end.
    fn space(&mut self, c: char, from: Range<usize>) {
        let c = if c == '\n' || c == '\u{2028}' || c == '\u{2029}' { '\n' } else { ' ' };
        match self.text.as_bytes().last() {
            Some(b' ') if c == '\n' => {
                self.text.pop();
                self.starts.pop();
                self.ends.pop();
                self.push(c, from);
            }
            Some(b' ' | b'\n') => {}
            Some(_) | None => self.push(c, from),
        }
    }

    /// Where a range of the view is in the source.
    pub(crate) fn source(&self, range: &Range<usize>) -> Range<usize> {
        let start = self.starts.get(range.start).or(self.ends.last()).map_or(0, |it| *it as usize);
        let last = range.end.max(range.start + 1) - 1;
        let end = self.ends.get(last).or(self.ends.last()).map_or(0, |it| *it as usize);
        start..end.max(start)
    }

    /// The same text read otherwise: each of its characters replaced by none or one.
    pub(crate) fn mapped(&self, mut to: impl FnMut(usize, char) -> Option<char>) -> Self {
        let mut view = Self::with_capacity(self.text.len());
        for (at, c) in self.text.char_indices() {
            if let Some(c) = to(at, c) {
                view.push(c, self.starts[at] as usize..self.ends[at] as usize);
            }
        }
        view
    }
}

/// A text as patterns are written.
pub(crate) fn folded(text: &str) -> String {
    View::folded(text).text
}

fn fold(c: char, mut each: impl FnMut(char)) {
    let mut buffer = [0; 4];
    for c in std::iter::once(c).nfkc().flat_map(char::to_lowercase).nfd() {
        if matches!(c, '\u{300}'..='\u{36f}') {
            continue;
        }
        if c == '\u{df}' {
            each('s');
            each('s');
            continue;
        }
        if c.is_ascii() || is_ideograph(c) {
            each(c);
            continue;
        }
        // Of what looks like another letter only that letter is taken: `\u{ea}` must not become two.
        let mut like = skeleton(c.encode_utf8(&mut buffer));
        match (like.next(), like.next()) {
            (Some(like), None) if !matches!(like, '\u{300}'..='\u{36f}') => {
                each(ascii_digit(like).to_ascii_lowercase());
            }
            _ => each(ascii_digit(c)),
        }
    }
}

/// Whether words of its script stand without spaces.
pub(crate) fn is_ideograph(c: char) -> bool {
    matches!(c, '\u{2e80}'..='\u{9fff}' | '\u{ac00}'..='\u{d7af}' | '\u{f900}'..='\u{faff}' | '\u{20000}'..='\u{3ffff}')
}

fn ascii_digit(c: char) -> char {
    let zero = match c {
        '\u{660}'..='\u{669}' => 0x660,
        '\u{6f0}'..='\u{6f9}' => 0x6f0,
        '\u{966}'..='\u{96f}' => 0x966,
        '\u{9e6}'..='\u{9ef}' => 0x9e6,
        '\u{e50}'..='\u{e59}' => 0xe50,
        _ => return c,
    };
    char::from_digit(c as u32 - zero, 10).unwrap_or(c)
}

/// Characters that show nothing: joiners, marks of direction, fillers, selectors and tags.
pub(crate) fn is_invisible(c: char) -> bool {
    matches!(c,
        '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}'
        | '\u{180b}'..='\u{180f}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}'
        | '\u{2060}'..='\u{206f}' | '\u{3164}' | '\u{fe00}'..='\u{fe0f}' | '\u{feff}' | '\u{ffa0}'
        | '\u{fff9}'..='\u{fffb}' | '\u{1bca0}'..='\u{1bca3}' | '\u{1d173}'..='\u{1d17a}'
        | '\u{e0000}'..='\u{e0fff}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn looks_alike_reads_alike() {
        for (text, expected) in [
            ("Ignore  ALL\tprevious", "ignore all previous"),
            ("\u{456}gn\u{43e}r\u{435}", "ignore"),
            ("ig\u{200b}no\u{ad}re", "ignore"),
            ("\u{ff29}\u{ff47}nore", "ignore"),
            ("pr\u{e9}c\u{e9}dentes", "precedentes"),
            ("a \r\n\n b", "a\nb"),
            ("\u{1d422}gnore", "ignore"),
            ("Stra\u{df}e", "strasse"),
        ] {
            assert_eq!(folded(text), expected, "{text}");
        }
    }

    #[test]
    fn a_range_leads_back_to_its_source() {
        let source = "x \u{ff29}g\u{200b}nore y";
        let view = View::folded(source);
        let at = view.text.find("ignore").expect("it is there");
        assert_eq!(&source[view.source(&(at..at + 6))], "\u{ff29}g\u{200b}nore");
    }
}
