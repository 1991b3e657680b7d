//! Signs that are known by their form: turns of another conversation, payloads, links that carry data away.

mod forms;

use std::sync::LazyLock;

use regex::bytes::{Regex, RegexBuilder, RegexSet, RegexSetBuilder};

use self::forms::{FORMS, Form, PASSAGE};
use super::Threat;
use crate::view::View;

type Build = Box<dyn FnOnce() -> Regex + Send>;

static SET: LazyLock<RegexSet> = LazyLock::new(|| set(FORMS));
static EACH: LazyLock<Vec<LazyLock<Regex, Build>>> = LazyLock::new(|| each(FORMS));
static PASSAGE_SET: LazyLock<RegexSet> = LazyLock::new(|| set(PASSAGE));
static PASSAGE_EACH: LazyLock<Vec<LazyLock<Regex, Build>>> = LazyLock::new(|| each(PASSAGE));

fn set(forms: &[Form]) -> RegexSet {
    let mut set = RegexSetBuilder::new(forms.iter().map(|form| form.3));
    set.unicode(false).build().expect("the patterns are right")
}

/// Each pattern is built when the set says that it is there.
fn each(forms: &'static [Form]) -> Vec<LazyLock<Regex, Build>> {
    let lazy = |form: &'static Form| {
        let build: Build = Box::new(|| pattern(form.3));
        LazyLock::new(build)
    };
    forms.iter().map(lazy).collect()
}

/// Patterns are over bytes: what they leave open then needs one state each, not one for each form of a letter.
fn pattern(pattern: &str) -> Regex {
    RegexBuilder::new(pattern).unicode(false).build().expect("the patterns are right")
}

/// A match over bytes, from letter to letter.
fn whole(text: &str, range: std::ops::Range<usize>) -> std::ops::Range<usize> {
    text.floor_char_boundary(range.start)..text.ceil_char_boundary(range.end)
}

/// Whether a text has what every form has one of. Most questions have nothing of it, and then no pattern is built.
fn can_have_forms(text: &str) -> bool {
    let signs = b"<[{(|:;/'\"$&=-%\\#*_";
    text.bytes().any(|it| signs.contains(&it))
        || ["fork", "vssadmin"].iter().any(|it| text.contains(it))
}

/// The forms in a text. `view` is the same text folded: its words say whether the text asks about them.
pub(super) fn look(text: &str, view: &View) -> Vec<Threat> {
    if !can_have_forms(text) {
        return Vec::new();
    }
    let matched = SET.matches(text.as_bytes());
    if !matched.matched_any() {
        return Vec::new();
    }
    let words = super::lexicon::LEXICON.find(&view.text, false);
    let mut threats = Vec::new();
    for number in matched {
        let (risk, kind, score, _) = FORMS[number];
        threats.extend(EACH[number].find_iter(text.as_bytes()).map(|found| {
            let span = whole(text, found.range());
            let weight = super::context::of_form(risk, &words, span.clone(), view);
            Threat { risk, kind, score: score * weight, span }
        }));
    }
    threats
}

/// A match without what ended the sentence before it.
fn without_start(text: &str, range: std::ops::Range<usize>) -> std::ops::Range<usize> {
    let matched = text.get(range.clone()).unwrap_or_default();
    let ends = |c: char| c.is_whitespace() || ".!?:|>\"'([-*#".contains(c);
    range.start + (matched.len() - matched.trim_start_matches(ends).len())..range.end
}

/// The forms that are signs only in retrieved text.
pub(super) fn in_passage(text: &str) -> Vec<Threat> {
    PASSAGE_SET
        .matches(text.as_bytes())
        .into_iter()
        .flat_map(|number| {
            let (risk, kind, score, _) = PASSAGE[number];
            PASSAGE_EACH[number].find_iter(text.as_bytes()).map(move |found| Threat {
                risk,
                kind,
                score,
                span: without_start(text, whole(text, found.range())),
            })
        })
        .collect()
}
