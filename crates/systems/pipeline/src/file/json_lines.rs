//! The line numbers of the values in a JSON text, which must be valid JSON.

use std::collections::BTreeMap;

use consign_contracts::json::{self, Json};

use super::source::escaped;

/// The line of every value, by pointer.
pub(super) fn lines(text: &str) -> BTreeMap<String, usize> {
    let mut walk = Walk { text: text.as_bytes(), at: 0, line: 1, lines: BTreeMap::new() };
    walk.value(&mut String::new());
    walk.lines
}

struct Walk<'a> {
    text: &'a [u8],
    at: usize,
    line: usize,
    lines: BTreeMap<String, usize>,
}

impl Walk<'_> {
    fn peek(&mut self) -> u8 {
        while let Some(byte @ (b' ' | b'\t' | b'\r' | b'\n' | b',' | b':')) = self.text.get(self.at)
        {
            self.line += usize::from(*byte == b'\n');
            self.at += 1;
        }
        self.text.get(self.at).copied().unwrap_or(0)
    }

    /// Depth is bounded by the reader that found the text to be right.
    fn value(&mut self, pointer: &mut String) {
        let first = self.peek();
        self.lines.insert(pointer.clone(), self.line);
        match first {
            b'{' => {
                self.at += 1;
                while self.peek() == b'"' {
                    let name = self.string();
                    self.inside(pointer, &escaped(&name));
                }
                self.at += 1;
            }
            b'[' => {
                self.at += 1;
                let mut index = 0;
                while !matches!(self.peek(), b']' | 0) {
                    self.inside(pointer, &usize::to_string(&index));
                    index += 1;
                }
                self.at += 1;
            }
            b'"' => drop(self.string()),
            _ => {
                let ends = |byte: &&u8| b",]} \t\r\n".contains(byte);
                let rest = &self.text[self.at.min(self.text.len())..];
                self.at += rest.iter().position(|byte| ends(&byte)).unwrap_or(rest.len()).max(1);
            }
        }
    }

    fn inside(&mut self, pointer: &mut String, name: &str) {
        let before = pointer.len();
        pointer.push('/');
        pointer.push_str(name);
        self.value(pointer);
        pointer.truncate(before);
    }

    fn string(&mut self) -> String {
        let from = self.at;
        self.at += 1;
        while let Some(byte) = self.text.get(self.at) {
            match byte {
                b'\\' => self.at += 1,
                b'"' => break,
                _ => {}
            }
            self.at += 1;
        }
        self.at += 1;
        match json::parse(&self.text[from..self.at.min(self.text.len())]) {
            Ok(Json::String(text)) => text.into_owned(),
            Ok(_) | Err(_) => String::new(),
        }
    }
}
