//! A text that a pattern matches, for patterns without look-around. Best effort: whoever asks for it
//! checks it.

use regex_syntax::hir::{Class, Hir, HirKind};

/// No pattern's text is longer.
const MOST_BYTES: usize = 10_000;

/// Repetitions are taken as often as they must, and so often more as the length wants.
pub(super) fn matching(pattern: &str, least: usize, vary: usize) -> Option<String> {
    let hir = regex_syntax::Parser::new().parse(pattern).ok()?;
    for more in 0..=least {
        let mut text = String::new();
        write(&hir, more, vary, &mut text)?;
        if text.chars().count() >= least {
            return Some(text);
        }
    }
    None
}

fn write(hir: &Hir, more: usize, vary: usize, text: &mut String) -> Option<()> {
    if text.len() > MOST_BYTES {
        return None;
    }
    match hir.kind() {
        HirKind::Empty | HirKind::Look(_) => Some(()),
        HirKind::Literal(literal) => {
            text.push_str(std::str::from_utf8(&literal.0).ok()?);
            Some(())
        }
        HirKind::Class(class) => {
            text.push(letter(class, vary)?);
            Some(())
        }
        HirKind::Repetition(repetition) => {
            let most = repetition.max.map_or(usize::MAX, |most| most as usize);
            let times = (repetition.min as usize).saturating_add(more).min(most);
            for _ in 0..times {
                write(&repetition.sub, more, vary, text)?;
            }
            Some(())
        }
        HirKind::Capture(capture) => write(&capture.sub, more, vary, text),
        HirKind::Concat(parts) => {
            parts.iter().try_for_each(|part| write(part, more, vary, text).ok_or(())).ok()
        }
        HirKind::Alternation(choices) => {
            write(choices.get(vary % choices.len().max(1))?, more, vary, text)
        }
    }
}

/// A letter of a class, a plain one if there is one.
fn letter(class: &Class, vary: usize) -> Option<char> {
    let Class::Unicode(class) = class else { return None };
    let plain: Vec<char> = ('a'..='z')
        .chain('A'..='Z')
        .chain('0'..='9')
        .chain(" -_.".chars())
        .filter(|letter| class.iter().any(|range| (range.start()..=range.end()).contains(letter)))
        .collect();
    if plain.is_empty() {
        return class.iter().next().map(|range| range.start());
    }
    plain.get(vary % plain.len()).copied()
}
