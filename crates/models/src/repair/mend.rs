//! Reads one object or array of the text, and mends the mistakes that leave no doubt.
//!
//! This walks the structure only and keeps its own stack, so no depth of nesting can overflow ours.
//! Whether numbers, words and escapes are JSON is left to the strict reader, which sees the result.
//! What it does not mend on purpose: comments (they often stand for values that were left out),
//! words that are no JSON (`True`, `NaN`), keys without quotes, missing commas, typographic quotes.

use consign_contracts::json::{Limits, Reason};

use super::{
    Repair, Unmendable,
    repairs::Repairs,
    splice::{Splice, Spliced},
    unmendable::malformed,
};

/// A value in the text, which is not JSON yet but has its shape.
#[derive(Debug)]
pub(super) struct Piece<'t> {
    pub(super) start: usize,
    pub(super) end: usize,
    pub(super) spliced: Spliced<'t>,
    pub(super) repairs: Repairs,
    /// How many brackets were missing at the end. The caller must show that nothing else was.
    pub(super) closed: usize,
}

/// Mends the value whose opening bracket is at `start`.
pub(super) fn value(text: &str, start: usize) -> Result<Piece<'_>, Unmendable> {
    Mender {
        text,
        at: start,
        start,
        open: Vec::new(),
        next: Next::Item,
        comma: start,
        bare_end: start,
        splice: Splice::new(text, start),
        repairs: Repairs::default(),
    }
    .run()
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Bracket {
    Square,
    Curly,
}

/// What the grammar wants.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Next {
    FirstItem,
    /// After a comma.
    Item,
    FirstKey,
    /// After a comma.
    Key,
    Colon,
    MemberValue,
    /// A comma or a closing bracket.
    Separator,
}

/// What word processors make of quotes.
const TYPOGRAPHIC: [char; 4] = ['“', '”', '‘', '’'];

struct Mender<'t> {
    text: &'t str,
    at: usize,
    start: usize,
    open: Vec<Bracket>,
    next: Next,
    /// The last comma.
    comma: usize,
    /// Where the last number or word ended.
    bare_end: usize,
    splice: Splice<'t>,
    repairs: Repairs,
}

impl<'t> Mender<'t> {
    fn run(mut self) -> Result<Piece<'t>, Unmendable> {
        loop {
            self.skip_space();
            let Some(byte) = self.peek() else { return self.cut_off() };
            match byte {
                b'{' | b'[' if self.wants_value() => self.open(byte)?,
                b'}' | b']' => {
                    self.close(byte)?;
                    if self.open.is_empty() {
                        return Ok(self.done(0, ""));
                    }
                }
                b',' if self.next == Next::Separator => {
                    self.comma = self.at;
                    self.at += 1;
                    let curly = self.open.last() == Some(&Bracket::Curly);
                    self.next = if curly { Next::Key } else { Next::Item };
                }
                b':' if self.next == Next::Colon => {
                    self.at += 1;
                    self.next = Next::MemberValue;
                }
                b'"' if self.wants_value() || self.wants_key() => {
                    self.string()?;
                    self.next = if self.wants_key() { Next::Colon } else { Next::Separator };
                }
                b'\'' if self.wants_value() || self.wants_key() => {
                    self.single_quoted()?;
                    self.next = if self.wants_key() { Next::Colon } else { Next::Separator };
                }
                // The fence was closed and the value was not.
                b'`' if self.text[self.at..].trim_end() == "```" => return self.cut_off(),
                _ if self.wants_value() => self.bare()?,
                _ => return Err(self.refuse(self.instead())),
            }
        }
    }

    fn wants_value(&self) -> bool {
        matches!(self.next, Next::FirstItem | Next::Item | Next::MemberValue)
    }

    fn wants_key(&self) -> bool {
        matches!(self.next, Next::FirstKey | Next::Key)
    }

    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    fn skip_space(&mut self) {
        while matches!(self.peek(), Some(b' ' | b'\n' | b'\t' | b'\r')) {
            self.at += 1;
        }
    }

    fn open(&mut self, byte: u8) -> Result<(), Unmendable> {
        let limit = Limits::default().depth;
        if self.open.len() == limit {
            let reason = Reason::TooDeep { limit };
            return Err(Unmendable::Malformed(malformed(self.text, self.at, reason)));
        }
        self.at += 1;
        let (bracket, next) = match byte {
            b'{' => (Bracket::Curly, Next::FirstKey),
            _ => (Bracket::Square, Next::FirstItem),
        };
        self.open.push(bracket);
        self.next = next;
        Ok(())
    }

    fn close(&mut self, byte: u8) -> Result<(), Unmendable> {
        let bracket = if byte == b'}' { Bracket::Curly } else { Bracket::Square };
        if self.open.last() != Some(&bracket) {
            return Err(self.refuse("a closing bracket that does not fit the opening one"));
        }
        match self.next {
            Next::Separator | Next::FirstItem | Next::FirstKey => {}
            Next::Item | Next::Key => {
                self.replace(self.comma, self.comma + 1, "", Repair::TrailingComma)?;
            }
            Next::Colon | Next::MemberValue => return Err(self.refuse("a key without a value")),
        }
        self.open.pop();
        self.at += 1;
        self.next = Next::Separator;
        Ok(())
    }

    /// Goes behind a string in double quotes.
    fn string(&mut self) -> Result<(), Unmendable> {
        self.at += 1;
        loop {
            match self.peek() {
                Some(b'"') => {
                    self.at += 1;
                    return Ok(());
                }
                // Whatever is escaped cannot end the string. A raw control character behind a
                // backslash may be meant to vanish or to stay; the strict reader will refuse it.
                Some(b'\\') => self.at += 2,
                Some(control @ 0..=0x1f) => {
                    let escape = match control {
                        b'\n' => "\\n".to_owned(),
                        b'\r' => "\\r".to_owned(),
                        b'\t' => "\\t".to_owned(),
                        _ => format!("\\u{control:04x}"),
                    };
                    self.replace(self.at, self.at + 1, &escape, Repair::RawControl)?;
                    self.at += 1;
                }
                Some(_) => self.at += 1,
                None => return Err(Unmendable::cut_off(self.text, "a string")),
            }
        }
    }

    /// Goes behind a string in single quotes, if there is only one way to read it.
    fn single_quoted(&mut self) -> Result<(), Unmendable> {
        let opening = self.at;
        self.at += 1;
        loop {
            match self.peek() {
                Some(b'\'') => break,
                Some(b'"' | b'\\' | 0..=0x1f) => {
                    return Err(
                        self.refuse("a string in single quotes that can be read in two ways")
                    );
                }
                Some(_) => self.at += 1,
                None => return Err(Unmendable::cut_off(self.text, "a string")),
            }
        }
        self.replace(opening, opening + 1, "\"", Repair::SingleQuotes)?;
        self.replace(self.at, self.at + 1, "\"", Repair::SingleQuotes)?;
        self.at += 1;
        Ok(())
    }

    /// Goes behind a number or a word.
    fn bare(&mut self) -> Result<(), Unmendable> {
        let rest = &self.text.as_bytes()[self.at..];
        let ends = |byte: &u8| *byte <= b' ' || b",:[]{}\"'`/#".contains(byte);
        let length = rest.iter().position(ends).unwrap_or(rest.len());
        if length == 0 || self.text[self.at..].starts_with(TYPOGRAPHIC) {
            return Err(self.refuse(self.instead()));
        }
        self.at += length;
        self.bare_end = self.at;
        self.next = Next::Separator;
        Ok(())
    }

    fn replace(
        &mut self,
        from: usize,
        to: usize,
        with: &str,
        repair: Repair,
    ) -> Result<(), Unmendable> {
        self.repairs.add(repair);
        let replaced = self.splice.replace(from, to, with);
        replaced.ok_or_else(|| self.refuse("there is too much to mend"))
    }

    /// The text ended. Brackets may be all that is missing only behind a value that is whole. A number
    /// or word at the end may have gone on, and white space behind it may not belong to it; a comma
    /// at the end says that more was to come.
    fn cut_off(mut self) -> Result<Piece<'t>, Unmendable> {
        let ends_bare = self.text[self.bare_end..self.at].trim().is_empty();
        if self.next != Next::Separator || ends_bare {
            return Err(Unmendable::cut_off(self.text, self.inside()));
        }
        self.repairs.add(Repair::ClosingBrackets);
        let closing = |bracket: &Bracket| match bracket {
            Bracket::Square => ']',
            Bracket::Curly => '}',
        };
        let tail: String = self.open.iter().rev().map(closing).collect();
        let closed = self.open.len();
        Ok(self.done(closed, &tail))
    }

    fn inside(&self) -> &'static str {
        match self.open.last() {
            Some(Bracket::Curly) => "an object",
            Some(Bracket::Square) => "an array",
            None => "a value",
        }
    }

    fn done(self, closed: usize, tail: &str) -> Piece<'t> {
        let spliced = self.splice.finish(self.at, tail);
        Piece { start: self.start, end: self.at, spliced, repairs: self.repairs, closed }
    }

    fn refuse(&self, why: &'static str) -> Unmendable {
        Unmendable::syntax(self.text, self.at, why)
    }

    /// What stands where the grammar wants something else.
    fn instead(&self) -> &'static str {
        let rest = &self.text[self.at..];
        if rest.starts_with("//") || rest.starts_with("/*") || rest.starts_with('#') {
            return "a comment, and JSON has none";
        }
        if rest.starts_with(TYPOGRAPHIC) {
            return "a typographic quote instead of `\"`";
        }
        match self.next {
            Next::FirstItem | Next::Item | Next::MemberValue => "expected a value",
            Next::FirstKey | Next::Key => "expected a key in double quotes",
            Next::Colon => "expected `:` after a key",
            Next::Separator => match self.open.last() {
                Some(Bracket::Square) => "expected `,` or `]`",
                Some(Bracket::Curly) | None => "expected `,` or `}`",
            },
        }
    }
}

#[cfg(test)]
mod tests;
