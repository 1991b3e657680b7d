//! Writing JSON: compact, or laid out for people.

use std::fmt::{self, Write};

use super::Json;

impl fmt::Display for Json<'_> {
    /// `{}` is one line without spaces, `{:#}` is two spaces a level.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let pretty = f.alternate();
        write_value(f, self, if pretty { Some(0) } else { None })
    }
}

impl Json<'_> {
    /// The document on one line, as `to_string` writes it, without the detour through a formatter.
    #[must_use]
    pub fn text(&self) -> String {
        let mut out = String::with_capacity(1024);
        write_value(&mut out, self, None).expect("writing to a string cannot fail");
        out
    }
}

fn write_value(out: &mut impl Write, json: &Json<'_>, level: Option<usize>) -> fmt::Result {
    let inner = level.map(|level| level + 1);
    match json {
        Json::Null => out.write_str("null"),
        Json::Bool(value) => out.write_str(if *value { "true" } else { "false" }),
        Json::Number(number) => out.write_str(number.as_str()),
        Json::String(text) => write_string(out, text),
        Json::Array(items) if items.is_empty() => out.write_str("[]"),
        Json::Array(items) => {
            let mut before = '[';
            for item in items {
                out.write_char(before)?;
                before = ',';
                break_line(out, inner)?;
                write_value(out, item, inner)?;
            }
            break_line(out, level)?;
            out.write_char(']')
        }
        Json::Object(object) if object.is_empty() => out.write_str("{}"),
        Json::Object(object) => {
            let mut before = '{';
            for (key, value) in object.iter() {
                out.write_char(before)?;
                before = ',';
                break_line(out, inner)?;
                write_string(out, key)?;
                out.write_str(if level.is_some() { ": " } else { ":" })?;
                write_value(out, value, inner)?;
            }
            break_line(out, level)?;
            out.write_char('}')
        }
    }
}

fn break_line(out: &mut impl Write, level: Option<usize>) -> fmt::Result {
    let Some(level) = level else { return Ok(()) };
    out.write_char('\n')?;
    (0..level).try_for_each(|_| out.write_str("  "))
}

/// Control characters are escaped, those beyond ASCII too: a terminal obeys both.
fn write_string(out: &mut impl Write, text: &str) -> fmt::Result {
    out.write_char('"')?;
    let mut rest = text;
    while let Some(at) = next_escaped(rest.as_bytes()) {
        let (plain, from) = rest.split_at(at);
        out.write_str(plain)?;
        let Some(letter) = from.chars().next() else { break };
        match letter {
            '"' => out.write_str("\\\"")?,
            '\\' => out.write_str("\\\\")?,
            '\n' => out.write_str("\\n")?,
            '\r' => out.write_str("\\r")?,
            '\t' => out.write_str("\\t")?,
            control => write!(out, "\\u{:04x}", u32::from(control))?,
        }
        rest = &from[letter.len_utf8()..];
    }
    out.write_str(rest)?;
    out.write_char('"')
}

/// Where the first letter stands that must be escaped. Bytes are looked at and not letters: most texts
/// have none, and this is most of what writing costs.
fn next_escaped(text: &[u8]) -> Option<usize> {
    let mut from = 0;
    loop {
        let at = from
            + text[from..]
                .iter()
                .position(|byte| matches!(byte, 0..0x20 | b'"' | b'\\' | 0x7f | 0xc2))?;
        // The control characters beyond ASCII have two bytes, and share the first with others.
        if text[at] != 0xc2 || text.get(at + 1).is_some_and(|next| (0x80..0xa0).contains(next)) {
            return Some(at);
        }
        from = at + 1;
    }
}

/// `text` as a JSON string, quotes included.
pub(crate) fn quoted(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    write_string(&mut out, text).expect("writing to a string cannot fail");
    out
}
