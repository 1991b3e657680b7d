//! Formats times, amounts and commands for people.

use std::{borrow::Cow, env, ops::Range, path::Path, time::Duration};

use consign_engine::{Nanos, Status};
use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

use crate::output::printable;

/// A span in two figures: `12ms`, `3.4s`, `4m10s`, `2h05m`, `3d4h`.
pub(crate) fn span(span: Duration) -> String {
    let seconds = span.as_secs();
    match seconds {
        0 => format!("{}ms", span.as_millis()),
        1..60 => format!("{seconds}.{}s", span.subsec_millis() / 100),
        60..3600 => format!("{}m{:02}s", seconds / 60, seconds % 60),
        3600..86_400 => format!("{}h{:02}m", seconds / 3600, seconds / 60 % 60),
        _ => format!("{}d{}h", seconds / 86_400, seconds / 3600 % 24),
    }
}

/// What an amount may come to; none is no bound.
pub(crate) fn amount(nanos: Option<Nanos>) -> String {
    nanos.map_or_else(|| "no bound".to_owned(), |nanos| format!("${nanos}"))
}

/// The same words on one line: where a text breaks its lines, people read a space.
pub(crate) fn one_line(text: &str) -> String {
    text.split(['\n', '\r', '\t']).filter(|part| !part.is_empty()).collect::<Vec<_>>().join(" ")
}

/// `1 call`, `2 calls`.
pub(crate) fn count(number: u64, thing: &str) -> String {
    format!("{number} {thing}{}", if number == 1 { "" } else { "s" })
}

/// How a run ended: `succeeded`, `was cancelled`.
pub(crate) fn ended(status: Status) -> String {
    match status {
        Status::Succeeded | Status::Failed => status.to_string(),
        Status::Queued | Status::Running | Status::Waiting => format!("is {status}"),
        Status::Cancelled => format!("was {status}"),
    }
}

/// Text from outside on one line, cut to so many columns.
pub(crate) fn shortened(text: &str, columns: usize) -> Cow<'_, str> {
    let text = printable(text);
    if text.width() <= columns {
        return text;
    }
    let mut left = columns.saturating_sub(1);
    let fits = |letter: &char| {
        let width = letter.width().unwrap_or(0);
        let fits = width <= left;
        left = left.saturating_sub(width);
        fits
    };
    let kept: String = text.chars().take_while(fits).collect();
    Cow::Owned(format!("{kept}…"))
}

/// The lines of a text that is folded at its spaces, as ranges of it. A word that is longer than a line is a line.
pub(crate) fn folded(text: &str, columns: usize) -> Vec<Range<usize>> {
    let (mut lines, mut begin, mut end, mut at) = (Vec::new(), 0, 0, 0);
    for word in text.split_inclusive(' ') {
        let (from, to) = (at, at + word.trim_end_matches(' ').len());
        at += word.len();
        // One more space of several.
        if from == to && from > begin {
            continue;
        }
        let width = text.get(begin..to).map_or(0, UnicodeWidthStr::width);
        if width > columns && from > begin {
            lines.push(begin..end);
            begin = from;
        }
        end = to;
    }
    lines.push(begin..end);
    lines
}

/// Where a document is, for people: a file below the current folder or the home directory by the way from there.
pub(crate) fn place(identifier: &str) -> Cow<'_, str> {
    let (here, home) = (env::current_dir().ok(), env::var_os("HOME"));
    place_from(identifier, here.as_deref(), home.as_deref().map(Path::new))
}

fn place_from<'p>(identifier: &'p str, here: Option<&Path>, home: Option<&Path>) -> Cow<'p, str> {
    let below = |folder: Option<&Path>| {
        // From the root everything is below.
        let folder = folder.filter(|folder| folder.parent().is_some())?;
        let rest = Path::new(identifier).strip_prefix(folder).ok()?;
        rest.to_str().filter(|rest| !rest.is_empty())
    };
    match (below(here), below(home)) {
        (Some(rest), _) => Cow::Borrowed(rest),
        (None, Some(rest)) => Cow::Owned(format!("~/{rest}")),
        (None, None) => Cow::Borrowed(identifier),
    }
}

/// A word as a shell would have it typed.
pub(crate) fn shell_word(word: &str) -> Cow<'_, str> {
    let plain = |letter: char| letter.is_ascii_alphanumeric() || "-_./:@,+=%".contains(letter);
    if !word.is_empty() && word.chars().all(plain) {
        return Cow::Borrowed(word);
    }
    Cow::Owned(format!("'{}'", word.replace('\'', r"'\''")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spans_have_two_figures() {
        let check = |millis: u64, text: &str| {
            assert_eq!(span(Duration::from_millis(millis)), text);
        };
        check(0, "0ms");
        check(999, "999ms");
        check(1_049, "1.0s");
        check(59_999, "59.9s");
        check(60_000, "1m00s");
        check(3_725_000, "1h02m");
        check(90_000_000, "1d1h");
    }

    #[test]
    fn a_text_is_folded_at_its_spaces() {
        let lines = |text: &str, columns| -> Vec<String> {
            folded(text, columns).into_iter().map(|line| text[line].to_owned()).collect()
        };
        assert_eq!(lines("one two three", 7), ["one two", "three"]);
        assert_eq!(lines("one two three", 4), ["one", "two", "three"]);
        assert_eq!(lines("straightforward it is", 5), ["straightforward", "it is"]);
        assert_eq!(lines("a  b", 1), ["a", "b"]);
        assert_eq!(lines("ä ß", 9), ["ä ß"]);
        assert_eq!(lines("", 9), [""]);
    }

    #[test]
    fn a_place_is_told_from_where_one_is() {
        let place = |identifier: &str, here: &str| {
            place_from(identifier, Some(Path::new(here)), Some(Path::new("/home/ann"))).into_owned()
        };
        assert_eq!(place("/home/ann/docs/a.pdf", "/home/ann/docs"), "a.pdf");
        assert_eq!(place("/home/ann/docs/a.pdf", "/srv"), "~/docs/a.pdf");
        assert_eq!(place("/home/anna/a.pdf", "/srv"), "/home/anna/a.pdf");
        assert_eq!(place("/srv/a.pdf", "/"), "/srv/a.pdf");
        assert_eq!(place("https://example.com/a", "/srv"), "https://example.com/a");
        assert_eq!(place("/srv", "/srv"), "/srv");
    }

    #[test]
    fn text_is_cut_by_columns_and_not_by_letters() {
        assert_eq!(shortened("plain", 5), "plain");
        assert_eq!(shortened("plainer", 5), "plai…");
        assert_eq!(shortened("日本語", 5), "日本…");
        assert_eq!(shortened("日本語", 4), "日…");
        assert_eq!(shortened("a\u{1b}[2Kb", 10), "a\u{FFFD}[2Kb");
        assert_eq!(shortened("abc", 0), "…");
    }

    #[test]
    fn words_reach_a_shell_as_they_are() {
        assert_eq!(shell_word("ask-1"), "ask-1");
        assert_eq!(shell_word("@limit@1"), "@limit@1");
        assert_eq!(shell_word(r#"{"a":1}"#), r#"'{"a":1}'"#);
        assert_eq!(shell_word("it's $HOME"), r"'it'\''s $HOME'");
        assert_eq!(shell_word(""), "''");
    }
}
