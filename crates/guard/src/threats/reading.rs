//! The ways in which a text can be read, and what is found in each.

use std::ops::Range;

use super::{Threat, lexicon::LEXICON, rules, signs};
use crate::{Risk, classifier, decode, view::View};

/// What was found in the readings of a text.
#[derive(Default)]
pub(crate) struct Found {
    pub(crate) signs: Vec<Threat>,
    pub(crate) wording: f64,
}

/// How often what was decoded is decoded again.
const DEEPEST: usize = 3;

/// Reads a text in all ways.
pub(crate) fn look(text: &str) -> Found {
    look_at(text, false)
}

fn look_at(text: &str, retrieved: bool) -> Found {
    let mut found = Found::default();
    let view = View::folded(text);
    found.signs = read(&view, false, retrieved);
    found.signs.extend(signs::look(text, &view));
    disguised(&view, &mut found);
    encoded(text, DEEPEST, &mut found);
    found
}

/// Reads retrieved text: also the rules that hold only there.
pub(crate) fn in_passage(text: &str) -> Found {
    let mut found = look_at(text, true);
    found.signs.extend(signs::in_passage(text));
    found
}

fn read(view: &View, joined: bool, retrieved: bool) -> Vec<Threat> {
    let words = LEXICON.find(&view.text, joined);
    rules::look(view, &words, &sentences(&view.text), retrieved)
}

/// A text that had to be undone to be read was made so on purpose.
fn disguised(view: &View, found: &mut Found) {
    let mut more = Vec::new();
    for one in ['i', 'l'] {
        if let Some(view) = decode::leet(view, one) {
            more.extend(read(&view, false, false));
        }
    }
    if let Some(view) = decode::joined(view) {
        more.extend(read(&view, true, false));
    }
    let rotated = view_of(&decode::rot13(&view.text), view);
    more.extend(read(&rotated, false, false).into_iter().filter(|it| it.score >= 0.5));
    let reversed = View::folded(&decode::reversed(&view.text));
    let last = view.text.len();
    let turned = |span: Range<usize>| {
        let (start, end) = (last.saturating_sub(span.end), last.saturating_sub(span.start));
        view.source(&(start..end))
    };
    more.extend(
        read(&reversed, false, false)
            .into_iter()
            .filter(|it| it.score >= 0.5)
            .map(|it| Threat { span: turned(it.span.clone()), ..it }),
    );
    for sign in more {
        let known = found.signs.iter().any(|it| {
            it.kind == sign.kind
                && it.score >= sign.score
                && it.span.start < sign.span.end
                && sign.span.start < it.span.end
        });
        if !known {
            found.signs.push(sign);
        }
    }
}

/// A view with other letters at the same places.
fn view_of(text: &str, like: &View) -> View {
    let mut letters = text.chars();
    like.mapped(|_, _| letters.next())
}

fn encoded(text: &str, depth: usize, found: &mut Found) {
    if depth == 0 {
        return;
    }
    let mut inner: Vec<(Range<usize>, String)> =
        decode::tokens(text).into_iter().map(|it| (it.span, it.text)).collect();
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        let span = at..at + line.len();
        inner.extend(decode::unescaped(line).map(|plain| (span.clone(), plain)));
        inner.extend(decode::tags(line).map(|plain| (span, plain)));
        at += line.len();
    }
    for (span, plain) in inner {
        let view = View::folded(&plain);
        let mut below =
            Found { signs: read(&view, false, false), wording: classifier::worst(&plain) };
        below.signs.extend(signs::look(&plain, &view));
        encoded(&plain, depth - 1, &mut below);
        found.wording = found.wording.max(below.wording);
        for sign in below.signs {
            found.signs.push(Threat { span: span.clone(), ..sign });
            if sign.risk == Risk::Injection && sign.score >= 0.3 {
                found.signs.push(Threat {
                    risk: Risk::Injection,
                    kind: "encoded instructions",
                    score: 0.5,
                    span: span.clone(),
                });
            }
        }
    }
}

/// Whether a sentence begins by telling its reader to say something.
pub(crate) fn begins_with_order(sentence: &str) -> bool {
    let folded = crate::view::folded(sentence);
    let letter = |c: char| c.is_alphanumeric();
    let folded = folded.trim_start_matches(|c| !letter(c));
    let say = LEXICON.idea("say");
    LEXICON.find(folded, false).iter().any(|word| word.range.start == 0 && word.idea == say)
}

/// Where each sentence of a folded text ends.
pub(super) fn sentences(text: &str) -> Vec<usize> {
    let mut ends = Vec::new();
    let mut chars = text.char_indices().peekable();
    while let Some((at, c)) = chars.next() {
        let next = chars.peek().map(|(_, c)| *c);
        // `Nr. 900` is no end.
        let number = || text[at + 1..].trim_start().starts_with(|c: char| c.is_ascii_digit());
        let stops = match c {
            '.' if number() => false,
            '.' | '!' | '?' => next.is_none_or(|it| it.is_whitespace() || it == '"' || it == '\''),
            '\u{3002}' | '\u{ff01}' | '\u{ff1f}' => true,
            _ => false,
        };
        if stops {
            ends.push(at + c.len_utf8());
        }
    }
    ends
}
