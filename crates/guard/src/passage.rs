//! Retrieved text: data, never instructions.
//!
//! Sentences that tell an assistant what to do are cut out, and [`REMOVED`] stands in their place. What remains is
//! byte for byte as it was, and [`Passage::spans`] says where.

use std::ops::Range;

use crate::{
    Finding, Risk, classifier,
    threats::{self, Threat},
    windows::windows,
};

/// What stands where instructions were.
pub const REMOVED: &str = "[instruction removed]";

/// A part of a passage: kept as it was, or removed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Span {
    /// In bytes of the passage's text.
    pub text: Range<usize>,
    /// In bytes of the text that was retrieved.
    pub source: Range<usize>,
    pub removed: bool,
}

/// Retrieved text that nobody follows.
#[derive(Clone, Debug, PartialEq)]
pub struct Passage {
    pub text: String,
    /// Why something was removed, if anything was.
    pub risk: Option<Risk>,
    /// All parts in their order. One that is not removed has the same bytes in the text and in the source.
    pub spans: Vec<Span>,
    /// What was recognised. Spans are in bytes of the source.
    pub found: Vec<Finding>,
}

impl Passage {
    /// Where a range of the text is in the source, if nothing in it was removed.
    #[must_use]
    pub fn source(&self, range: &Range<usize>) -> Option<Range<usize>> {
        let span = self
            .spans
            .iter()
            .find(|it| !it.removed && it.text.start <= range.start && range.end <= it.text.end)?;
        let shift = |at: usize| at - span.text.start + span.source.start;
        Some(shift(range.start)..shift(range.end))
    }
}

/// How much less is needed next to a sentence that was cut, as a share of the threshold.
const NEIGHBOUR: f64 = 0.7;

pub(crate) fn neutralise(text: &str, threshold: f64) -> Passage {
    let signs = signs(text);
    let sentences = sentences(text);
    let mut scores = Vec::with_capacity(sentences.len());
    let mut from = 0;
    for sentence in &sentences {
        while signs.get(from).is_some_and(|it| it.longest <= sentence.start) {
            from += 1;
        }
        let here = signs[from..]
            .iter()
            .take_while(|it| it.sign.span.start < sentence.end)
            .filter(|it| it.sign.span.end > sentence.start);
        let doubt: f64 = here.map(|it| 1.0 - it.sign.score).product();
        let wording = classifier::worst(text.get(sentence.clone()).unwrap_or_default());
        scores.push(threats::combined_in_passage(1.0 - doubt, wording));
    }
    let mut cut: Vec<bool> = scores.iter().map(|score| *score >= threshold).collect();
    for at in 1..cut.len() {
        let beside = cut[at - 1] && together(text, &sentences, at);
        let written = text.get(sentences[at].clone()).unwrap_or_default();
        // What goes on with an order belongs to it, and so does what stands between two.
        let orders = || threats::begins_with_order(written);
        let between = || cut.get(at + 1) == Some(&true) && together(text, &sentences, at + 1);
        cut[at] |= beside && (scores[at] >= threshold * NEIGHBOUR || orders() || between());
    }
    assembled(text, &sentences, &cut, signs, threshold)
}

/// A sign, and how far any sign up to it reaches.
struct Reaching {
    sign: Threat,
    longest: usize,
}

fn signs(text: &str) -> Vec<Reaching> {
    let mut signs: Vec<Threat> = Vec::new();
    for (start, piece) in windows(text) {
        signs.extend(threats::in_passage(piece).signs.into_iter().filter_map(|mut sign| {
            sign.span = start + sign.span.start..start + sign.span.end;
            (sign.risk == Risk::Injection).then_some(sign)
        }));
    }
    signs.sort_by_key(|it| (it.span.start, it.span.end));
    signs.dedup();
    let mut longest = 0;
    signs
        .into_iter()
        .map(|sign| {
            longest = longest.max(sign.span.end);
            Reaching { sign, longest }
        })
        .collect()
}

/// Whether a sentence follows the one before it in the same paragraph.
fn together(text: &str, sentences: &[Range<usize>], at: usize) -> bool {
    let between = text.get(sentences[at - 1].start..sentences[at].start).unwrap_or_default();
    !between.trim_start().contains("\n\n")
}

/// Sentences and lines, with the spaces after them.
fn sentences(text: &str) -> Vec<Range<usize>> {
    let mut all = Vec::new();
    let mut start = 0;
    let mut chars = text.char_indices().peekable();
    while let Some((at, c)) = chars.next() {
        let next = chars.peek().map(|(_, c)| *c);
        let spaced = next.is_none_or(|it| it.is_whitespace() || "\"')]\u{201d}\u{bb}".contains(it));
        let stops = match c {
            '.' | '!' | '?' => spaced,
            '\u{3002}' | '\u{ff01}' | '\u{ff1f}' | '\n' => true,
            _ => false,
        };
        if stops {
            while chars
                .peek()
                .is_some_and(|(_, c)| *c == ' ' || "\"')]\u{201d}\u{bb}\n".contains(*c))
            {
                chars.next();
            }
            let end = chars.peek().map_or(text.len(), |(at, _)| *at);
            debug_assert!(end > at);
            all.push(start..end);
            start = end;
        }
    }
    if start < text.len() {
        all.push(start..text.len());
    }
    all
}

fn assembled(
    text: &str,
    sentences: &[Range<usize>],
    cut: &[bool],
    signs: Vec<Reaching>,
    threshold: f64,
) -> Passage {
    let mut passage = Passage {
        text: String::with_capacity(text.len()),
        risk: None,
        spans: Vec::new(),
        found: Vec::new(),
    };
    for (at, (sentence, removed)) in sentences.iter().zip(cut).enumerate() {
        // The spaces after a sentence stay, so that what follows stands where it stood.
        let written = text.get(sentence.clone()).unwrap_or_default();
        let goes_on =
            cut.get(at + 1) == Some(&true) && !written[written.trim_end().len()..].contains('\n');
        let end = if *removed && !goes_on {
            sentence.start + written.trim_end().len()
        } else {
            sentence.end
        };
        if *removed {
            passage.risk = Some(Risk::Injection);
            passage.push(REMOVED, sentence.start..end, true);
            passage.found.push(Finding {
                risk: Risk::Injection,
                kind: kind(&signs, sentence, threshold).to_owned(),
                span: sentence.start..end,
                mark: None,
                data: None,
            });
        }
        let kept = if *removed { end..sentence.end } else { sentence.clone() };
        passage.push(text.get(kept.clone()).unwrap_or_default(), kept, false);
    }
    passage
}

/// What the strongest sign in a sentence is called.
fn kind(signs: &[Reaching], sentence: &Range<usize>, threshold: f64) -> &'static str {
    signs
        .iter()
        .map(|it| &it.sign)
        .filter(|it| it.span.start < sentence.end && it.span.end > sentence.start)
        .max_by(|one, two| one.score.total_cmp(&two.score))
        .filter(|it| it.score >= threshold * NEIGHBOUR)
        .map_or("wording of an instruction", |it| it.kind)
}

impl Passage {
    fn push(&mut self, written: &str, source: Range<usize>, removed: bool) {
        if source.is_empty() {
            return;
        }
        // Removed neighbours are one.
        let start = self.text.len();
        match self.spans.last_mut() {
            Some(last) if last.removed && removed => {
                last.source.end = source.end;
                return;
            }
            Some(last) if !last.removed && !removed => {
                self.text.push_str(written);
                last.text.end = self.text.len();
                last.source.end = source.end;
                return;
            }
            Some(_) | None => {}
        }
        self.text.push_str(written);
        self.spans.push(Span { text: start..self.text.len(), source, removed });
    }
}
