//! Finds the JSON values in the text of an answer.
//!
//! Only objects and arrays are looked for: numbers and words are everywhere in prose. A bracket
//! must be the start of a value or of a plain remark such as `[see above]`; anything else that
//! could be part of a value with damaged surroundings stops the search, because the part that can
//! be read is not the whole that was meant. Each byte is looked at a bounded number of times.

use consign_contracts::json;

use super::{
    Repair, Unmendable,
    mend::{self, Piece},
    repairs::Repairs,
};

/// The values of an answer.
#[derive(Debug, Default)]
pub(super) struct Found<'t> {
    pub(super) pieces: Vec<Piece<'t>>,
    /// What was skipped around the values.
    pub(super) around: Repairs,
}

/// The most values that are looked for: no serious answer repeats itself more often.
const MOST_PIECES: usize = 16;

/// The tags around a model's reasoning.
const THOUGHTS: [&str; 7] =
    ["think", "thinking", "thought", "reasoning", "reflection", "analysis", "scratchpad"];

/// Looks through the text from an offset on.
pub(super) fn values(text: &str, from: usize) -> Result<Found<'_>, Unmendable> {
    let mut search = Search { text, words_from: from, quotes: 0, found: Found::default() };
    let mut at = from;
    while let Some(found) = text.as_bytes()[at..].iter().position(|byte| b"{[}]\"<".contains(byte))
    {
        at += found;
        at = match text.as_bytes()[at] {
            b'"' => {
                search.quotes += 1;
                at + 1
            }
            b'<' => search.tag(at)?,
            b'{' | b'[' => match plain_remark(text, at) {
                Some(end) => end,
                None => search.value(at)?,
            },
            _ => {
                return Err(Unmendable::syntax(
                    text,
                    at,
                    "a closing bracket without an opening one",
                ));
            }
        };
    }
    search.end_of_words(text.len())?;
    Ok(search.found)
}

struct Search<'t> {
    text: &'t str,
    /// The words since the last value or block of thoughts.
    words_from: usize,
    /// Double quotes among them, and among the words before.
    quotes: usize,
    found: Found<'t>,
}

impl Search<'_> {
    /// A value, and where it ends.
    fn value(&mut self, at: usize) -> Result<usize, Unmendable> {
        let before = &self.text[self.words_from..at];
        let close = before.trim_end();
        if self.quotes % 2 == 1 || before.ends_with('\'') {
            return Err(Unmendable::syntax(self.text, at, "a value inside of quotes"));
        }
        if close.ends_with(',') || close.ends_with("\":") || close.ends_with("':") {
            return Err(Unmendable::syntax(self.text, at, "a value that is part of another"));
        }
        let again = !self.found.pieces.is_empty();
        if again && close.is_empty() || self.found.pieces.len() == MOST_PIECES {
            return Err(Unmendable::several(self.text, at));
        }
        self.end_of_words(at)?;
        let piece = mend::value(self.text, at)?;
        let end = piece.end;
        self.found.pieces.push(piece);
        self.words_from = end;
        Ok(end)
    }

    /// Passes over thoughts; any other tag is words.
    fn tag(&mut self, at: usize) -> Result<usize, Unmendable> {
        let Some(tag) = Thoughts::at(&self.text[at..]) else { return Ok(at + 1) };
        let inside = at + tag.length;
        if tag.opens {
            self.end_of_words(at)?;
            let Some(closing) = tag.closing_in(&self.text[inside..]) else {
                // Whatever value it holds, the answer itself has not begun.
                return Err(Unmendable::cut_off(self.text, "its reasoning"));
            };
            self.words_from = inside + closing;
        } else {
            // The opening tag is often the end of the prompt: all before this was thought.
            self.found = Found::default();
            self.quotes = 0;
            self.words_from = inside;
        }
        self.found.around.add(Repair::Reasoning);
        Ok(self.words_from)
    }

    /// Takes note of the words up to `end`, which must not be a value or a part of one themselves.
    fn end_of_words(&mut self, end: usize) -> Result<(), Unmendable> {
        let words = &self.text[self.words_from..end];
        let told = words.trim();
        if !self.found.pieces.is_empty() && told.starts_with([',', ':']) {
            return Err(Unmendable::syntax(self.text, self.words_from, "more after the value"));
        }
        if json::parse(told.as_bytes()).is_ok() {
            let at = self.words_from + words.len() - words.trim_start().len();
            return Err(Unmendable::several(self.text, at));
        }
        for line in told.lines().map(str::trim).filter(|line| !line.is_empty()) {
            let fence = is_fence(line);
            self.found.around.add(if fence { Repair::CodeFence } else { Repair::SurroundingProse });
        }
        Ok(())
    }
}

/// Three backticks or tildes, with at most a word for the language.
fn is_fence(line: &str) -> bool {
    line.strip_prefix("```").or_else(|| line.strip_prefix("~~~")).is_some_and(is_language)
}

fn is_language(word: &str) -> bool {
    let word = word.trim();
    let plain = word.len() <= 20 && word.chars().all(|letter| letter.is_ascii_alphanumeric());
    // `12` behind a fence is a value that lost its line break.
    word.is_empty() || plain && json::parse(word.as_bytes()).is_err()
}

/// A tag of a block of thoughts.
struct Thoughts {
    opens: bool,
    name: &'static str,
    length: usize,
}

impl Thoughts {
    /// The tag that `text`, which begins with `<`, begins with.
    fn at(text: &str) -> Option<Self> {
        let after = &text.as_bytes()[1..];
        let opens = after.first() != Some(&b'/');
        let named = if opens { after } else { &after[1..] };
        // The first letter tells most other tags without looking at them again and again.
        named.first().filter(|byte| byte.is_ascii_alphabetic())?;
        let name = THOUGHTS.into_iter().find(|name| {
            let tag = named.split_at_checked(name.len());
            tag.is_some_and(|(tag, rest)| {
                rest.first() == Some(&b'>') && tag.eq_ignore_ascii_case(name.as_bytes())
            })
        })?;
        let length = text.len() - named.len() + name.len() + 1;
        Some(Self { opens, name, length })
    }

    /// Where in `text` the block ends.
    fn closing_in(&self, text: &str) -> Option<usize> {
        text.match_indices("</").find_map(|(at, _)| {
            let tag = Self::at(&text[at..]).filter(|tag| tag.name == self.name)?;
            Some(at + tag.length)
        })
    }
}

/// The end of a bracket that holds words which cannot be a value or hold one.
fn plain_remark(text: &str, at: usize) -> Option<usize> {
    const LONGEST: usize = 200;
    const VALUES: [&str; 7] = ["true", "false", "null", "none", "nan", "infinity", "undefined"];
    let rest = &text.as_bytes()[at + 1..];
    let stops = |byte: &u8| b"{}[]\"'`:,\\\n".contains(byte);
    let length = rest.iter().take(LONGEST).position(stops)?;
    let closing = if text.as_bytes()[at] == b'{' { b'}' } else { b']' };
    let words = &text[at + 1..at + 1 + length];
    let plain = rest[length] == closing
        && words.starts_with(char::is_alphabetic)
        && !VALUES.iter().any(|value| words.trim().eq_ignore_ascii_case(value));
    plain.then_some(at + length + 2)
}

/// The text between the fences, if the whole answer is one block.
pub(super) fn fenced(text: &str) -> Option<&str> {
    let inside = text.trim().strip_prefix("```")?.strip_suffix("```")?;
    let (language, value) = inside.split_once('\n')?;
    is_language(language).then_some(value)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_value_is_told_from_the_words() {
        let check = |text: &str, value: &str, around: &[Repair]| {
            let found = values(text, 0).unwrap();
            let [piece] = found.pieces.as_slice() else { panic!("{text}: {found:?}") };
            assert_eq!(piece.spliced.text, value);
            assert_eq!(found.around.into_vec(), around, "{text}");
        };
        check("```json\n[1]\n```", "[1]", &[Repair::CodeFence]);
        check("~~~\n[1]\n~~~\n", "[1]", &[Repair::CodeFence]);
        check("Sure:\n```\n[1]", "[1]", &[Repair::CodeFence, Repair::SurroundingProse]);
        check("json\n[1]", "[1]", &[Repair::SurroundingProse]);
        check("As [noted], {name}: [1]", "[1]", &[Repair::SurroundingProse]);
        check("<b>[1]</b>", "[1]", &[Repair::SurroundingProse]);
        check("<think>[2]?</think>[1]", "[1]", &[Repair::Reasoning]);
        check("<THINK></think>\n[1]", "[1]", &[Repair::Reasoning]);
        check("Is it [2]?</think>\n[1]", "[1]", &[Repair::Reasoning]);
        check(r#"["</think>"]"#, r#"["</think>"]"#, &[]);
    }

    #[test]
    fn a_value_that_may_be_part_of_another_is_left_alone() {
        let check = |text: &str, code: &str| {
            assert_eq!(values(text, 0).map(|_| ()).unwrap_err().code(), code, "{text}");
        };
        for part in [
            r#""a": {"b": 1}"#,
            r#""a": 1, "b": {"c": 2}, "d": 3"#,
            r#"{"a": 1}}"#,
            r#"{"a": 1}, "b": 2"#,
            r#"{a: {"b": 1}}"#,
            "1, [2]",
            "[1], 2",
            "[1],",
            r#""see [1]"#,
            "'[1]'",
            r#"JSON.parse("[1]")"#,
            r#"{\"a\": [1]}"#,
        ] {
            check(part, "malformed");
        }
        for several in ["[1] [2]", "[1]\n[1]", "12 [1]", "[1]\ntrue", "\"a\" [1]"] {
            check(several, "several_values");
        }
        check("<think>[1]", "cut_off");
        check(&"[1] or ".repeat(20), "several_values");
    }

    #[test]
    fn remarks_are_words_and_values_are_not() {
        let check = |text: &str, end: Option<usize>| {
            assert_eq!(plain_remark(text, 0), end, "{text}");
        };
        check("[see above] x", Some(11));
        check("{name}", Some(6));
        check("[été]", Some("[été]".len()));
        for value in ["[True]", "[NaN]", "[ null ]", "[1]", "[]", "[a, b]", "{a: 1}", "[a}", "[a"] {
            check(value, None);
        }
    }
}
