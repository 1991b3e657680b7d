//! Words as runs of text, parted where columns and cells are.
//!
//! A program that reads pictures knows words and lines, but takes the cells of a row for one line. What is found in a
//! PDF is runs: words with usual spaces between them are one, a wide space begins the next. [`runs`] makes them.

use super::Seen;

/// A word that was seen, and the line that it is in.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Word {
    pub(super) line: u32,
    pub(super) text: String,
    /// Left, top, right and bottom in pixels.
    pub(super) bbox: [f32; 4],
}

/// A space is wide when it is so many times the usual one, and so many times the height of its line.
const WIDE: (f32, f32) = (2.2, 0.7);

/// The runs of a picture. Words come in the order of their lines.
pub(super) fn runs(words: &[Word]) -> Vec<Seen> {
    let lines: Vec<Line<'_>> =
        words.chunk_by(|one, other| one.line == other.line).map(Line::new).collect();
    let mut spaces: Vec<f32> = lines.iter().flat_map(Line::spaces).collect();
    spaces.sort_by(f32::total_cmp);
    // Without two words on a line there is nothing to be parted.
    let usual = spaces.get(spaces.len() / 2).copied().unwrap_or(0.3);
    let wide = (usual * WIDE.0).max(WIDE.1);
    lines.iter().flat_map(|line| line.parted(wide)).collect()
}

/// A line. All its runs get its height.
struct Line<'a> {
    words: &'a [Word],
    top: f32,
    bottom: f32,
}

impl<'a> Line<'a> {
    fn new(words: &'a [Word]) -> Self {
        let top = words.iter().map(|word| word.bbox[1]).fold(f32::MAX, f32::min);
        let bottom = words.iter().map(|word| word.bbox[3]).fold(f32::MIN, f32::max);
        Self { words, top, bottom }
    }

    fn high(&self) -> f32 {
        (self.bottom - self.top).max(1.0)
    }

    /// The spaces between its words, by its height.
    fn spaces(&self) -> impl Iterator<Item = f32> {
        self.words.windows(2).filter_map(|pair| match pair {
            [one, other] => Some((other.bbox[0] - one.bbox[2]).max(0.0) / self.high()),
            _ => None,
        })
    }

    /// Its words, parted at wide spaces.
    fn parted(&self, wide: f32) -> Vec<Seen> {
        let mut parts: Vec<Seen> = Vec::new();
        for Word { text, bbox: [left, _, right, _], .. } in self.words {
            match parts.last_mut() {
                Some(last) if left - last.bbox[2] < wide * self.high() => {
                    last.text.push(' ');
                    last.text.push_str(text);
                    last.bbox[2] = last.bbox[2].max(*right);
                }
                Some(_) | None => parts.push(Seen {
                    text: text.clone(),
                    bbox: [*left, self.top, *right, self.bottom],
                }),
            }
        }
        parts
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_runs_that_end_at_wide_spaces() {
        let prose: &[(f32, &str)] =
            &[(10.0, "one"), (48.0, "two"), (86.0, "three"), (144.0, "four")];
        let row: &[(f32, &str)] = &[(10.0, "Oak"), (48.0, "tree"), (200.0, "12"), (300.0, "7.50")];
        let mut words = Vec::new();
        for (line, said) in (0_u32..).zip([prose, row, prose]) {
            for (left, text) in said {
                // Ten pixels for each letter.
                let (right, top) = (left + text.len() as f32 * 10.0, 100.0 + line as f32 * 40.0);
                let bbox = [*left, top, right, top + 20.0];
                words.push(Word { line, text: (*text).to_owned(), bbox });
            }
        }
        let seen = runs(&words);
        let said: Vec<&str> = seen.iter().map(|seen| seen.text.as_str()).collect();
        let prose = "one two three four";
        assert_eq!(said, [prose, "Oak tree", "12", "7.50", prose]);
        assert_eq!(seen[1].bbox, [10.0, 140.0, 88.0, 160.0]);
        assert_eq!(runs(&[]), []);
    }
}
