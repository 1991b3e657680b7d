//! What stands around a sign and makes it harmless: a question about it, quotes, a negation, another object.

use std::{ops::Range, sync::LazyLock};

use super::lexicon::{Idea, LEXICON, Word};
use crate::Risk;

struct Ideas {
    negation: Idea,
    about: Idea,
    howto: Idea,
    elsewhere: Idea,
    defence: Idea,
}

static IDEAS: LazyLock<Ideas> = LazyLock::new(|| Ideas {
    negation: LEXICON.idea("negation"),
    about: LEXICON.idea("about"),
    howto: LEXICON.idea("howto"),
    elsewhere: LEXICON.idea("elsewhere"),
    defence: LEXICON.idea("defence"),
});

/// How far after a sign the words may stand that say whose instructions are meant.
const OBJECT: usize = 36;
/// How far before it a negation.
const NEGATION: usize = 14;
/// How far around it a question about it.
const AROUND: usize = 160;

/// How much of a sign's score remains where it stands, in 0..=1.
pub(super) fn weight(
    risk: Risk,
    text: &str,
    range: &Range<usize>,
    words: &[Word],
    sentences: &[usize],
) -> f64 {
    let ideas = &*IDEAS;
    let number = sentences.partition_point(|end| *end <= range.start);
    let first = if number == 0 { 0 } else { sentences[number - 1] };
    let last = sentences.get(number).copied().unwrap_or(text.len()).max(range.end);
    let near = first.max(range.start.saturating_sub(AROUND))..last.min(range.end + AROUND);
    let here = words.partition_point(|word| word.range.start < near.start);
    let around = || words[here..].iter().take_while(|word| word.range.start < near.end);
    let before = |idea, most: usize| {
        around().any(|it| {
            it.idea == idea && it.range.end <= range.start && it.range.end + most >= range.start
        })
    };
    let after = |idea, most: usize| {
        around().any(|it| {
            it.idea == idea && it.range.start >= range.end && it.range.start <= range.end + most
        })
    };
    let outside = |idea| {
        around().any(|it| {
            it.idea == idea && (it.range.end <= range.start || it.range.start >= range.end)
        })
    };
    let quoted = is_quoted(text, range);
    let mut weight: f64 = 1.0;
    let mut at_most = |most: f64, held: bool| {
        if held {
            weight = weight.min(most);
        }
    };
    match risk {
        Risk::Injection => {
            at_most(0.1, before(ideas.negation, NEGATION));
            at_most(0.15, quoted && (outside(ideas.about) || outside(ideas.defence)));
            at_most(0.5, quoted);
            at_most(0.3, before(ideas.about, AROUND));
            at_most(0.35, before(ideas.howto, 60));
            at_most(0.25, after(ideas.elsewhere, OBJECT));
        }
        Risk::MaliciousCode => {
            at_most(0.1, before(ideas.negation, NEGATION));
            at_most(0.2, outside(ideas.defence));
            at_most(0.25, before(ideas.about, AROUND));
        }
        Risk::HateSpeech => {
            at_most(0.2, before(ideas.negation, 24));
            at_most(0.2, quoted);
            at_most(0.2, outside(ideas.about) || outside(ideas.defence));
        }
        Risk::Pii | Risk::None => {}
    }
    weight
}

/// Whether a range stands between quotes of one line.
fn is_quoted(text: &str, range: &Range<usize>) -> bool {
    let from = text.floor_char_boundary(range.start.saturating_sub(AROUND));
    let to = text.ceil_char_boundary((range.end + AROUND).min(text.len()));
    let left = text[from..range.start].rsplit('\n').next().unwrap_or_default();
    let right = text[range.end..to].split('\n').next().unwrap_or_default();
    // An apostrophe within a word is no quote; the fold makes straight ones of all.
    let opens = |quote: char| {
        let mut last = None;
        let mut count = 0;
        let mut rest = left.chars().peekable();
        while let Some(c) = rest.next() {
            let within = c == '\''
                && last.is_some_and(char::is_alphanumeric)
                && rest.peek().is_some_and(|it| it.is_alphanumeric());
            count += usize::from(c == quote && !within);
            last = Some(c);
        }
        count % 2 == 1 && right.contains(quote)
    };
    let pair = |open: &[char], close: &[char]| {
        let opened = left.rfind(open);
        opened.is_some() && opened > left.rfind(close) && right.contains(close)
    };
    opens('"')
        || opens('`')
        || opens('\'')
        || pair(
            &['\u{201c}', '\u{ab}', '\u{201e}', '\u{300c}'],
            &['\u{201d}', '\u{bb}', '\u{201c}', '\u{300d}'],
        )
}

/// How much of the score of a form remains: less where the text asks what it is or how to defend against it.
pub(super) fn of_form(
    risk: Risk,
    words: &[Word],
    span: Range<usize>,
    view: &crate::view::View,
) -> f64 {
    let ideas = &*IDEAS;
    let said = |idea: Idea| {
        words.iter().any(|word| {
            let at = view.source(&word.range);
            word.idea == idea && at.end + AROUND >= span.start && at.start <= span.end + AROUND
        })
    };
    match risk {
        Risk::MaliciousCode if said(ideas.defence) || said(ideas.about) => 0.4,
        Risk::Injection if said(ideas.about) && said(ideas.defence) => 0.5,
        Risk::Injection | Risk::MaliciousCode | Risk::HateSpeech | Risk::Pii | Risk::None => 1.0,
    }
}
