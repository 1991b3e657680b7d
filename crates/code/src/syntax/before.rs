//! Reads the text directly before a name: `Client::`, `cart.`, `self->`, or nothing.
//!
//! Without types, that is all that shows what a name belongs to. It is read from the text, backwards and
//! within a limit; what it means for a question is decided elsewhere.

use crate::words;

/// Bytes that are looked back over brackets and names.
const FARTHEST: usize = 300;

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Before {
    Nothing,
    /// `api::Client::` has `Client`, `Vec::<u8>::` has `Vec`, and `<A as B>::` has both.
    Path(Vec<String>),
    /// `cart.`, `cart->`, `shop.cart?.`: its last name, and whether something stands before that.
    Value {
        name: String,
        member: bool,
    },
    /// `Cart(1).` and `new Cart().`, or a function that is called so.
    Made(String),
    /// `"text".`
    Literal,
    /// Whatever else has members: `find(1).`, `carts[0].`
    Expression,
}

/// Reads the text before an operator: `::`, `.`, `->` or `?.`. The text ends at `end`.
pub(crate) fn read(source: &[u8], operator: &[u8], end: usize) -> Before {
    let from = end.saturating_sub(FARTHEST);
    let text = source.get(from..end).unwrap_or_default();
    // `cart?.add` and `cart!.add` are about the cart.
    let text = text.trim_ascii_end();
    let text = text.strip_suffix(b"?").or_else(|| text.strip_suffix(b"!")).unwrap_or(text);
    if operator == b"::" { path(text) } else { value(text) }
}

/// Reads the text before a name that begins at `at`, in a text without a grammar. An operator must
/// be adjacent there: a blank after a dot begins a sentence.
pub(crate) fn close(source: &[u8], at: usize) -> Before {
    let text = source.get(..at).unwrap_or_default();
    for operator in [&b"::"[..], b"->", b"."] {
        if text.ends_with(operator) {
            let end = at - operator.len();
            // `..name` is no member of anything.
            let dots = source.get(..end).is_some_and(|text| text.ends_with(b"."));
            let alone = end.checked_sub(1).is_none_or(|last| source[last].is_ascii_whitespace());
            return if dots || alone { Before::Nothing } else { read(source, operator, end) };
        }
    }
    Before::Nothing
}

fn path(text: &[u8]) -> Before {
    if !text.ends_with(b">") {
        let name = last_word(text);
        return if name.is_empty() { Before::Nothing } else { Before::Path(vec![name]) };
    }
    let Some(open) = opening(text, b'<', b'>') else { return Before::Expression };
    let before = text[..open].strip_suffix(b"::").unwrap_or(&text[..open]);
    let name = last_word(before);
    if !name.is_empty() {
        return Before::Path(vec![name]);
    }
    // `<A as B>::`, `<Self>::`
    let inside = String::from_utf8_lossy(&text[open + 1..text.len() - 1]).into_owned();
    let bare = |part: &str| {
        let part = part.split('<').next().unwrap_or(part).trim();
        last_word(part.as_bytes())
    };
    let names: Vec<String> =
        inside.split(" as ").map(bare).filter(|name| !name.is_empty()).collect();
    if names.is_empty() { Before::Expression } else { Before::Path(names) }
}

fn value(text: &[u8]) -> Before {
    match text.last() {
        Some(b'"' | b'\'' | b'`') => Before::Literal,
        Some(b')') => {
            let Some(open) = opening(text, b'(', b')') else { return Before::Expression };
            let mut before = text[..open].trim_ascii_end();
            if before.ends_with(b">") {
                let Some(open) = opening(before, b'<', b'>') else { return Before::Expression };
                before = &before[..open];
            }
            let name = last_word(before);
            // `super().add()` is Python for what others write without brackets.
            if name == "super" {
                Before::Value { name, member: false }
            } else if name.starts_with(char::is_uppercase) {
                Before::Made(name)
            } else {
                Before::Expression
            }
        }
        Some(&byte) if words::is_word(byte) => {
            let name = last_word(text);
            if name == "await" || name.is_empty() || name.starts_with(|c: char| c.is_ascii_digit())
            {
                return Before::Expression;
            }
            let rest = &text[..text.len() - name.len()];
            let member = [&b"."[..], b"->", b"::", b".#"].iter().any(|end| rest.ends_with(end));
            Before::Value { name, member }
        }
        Some(_) | None => Before::Expression,
    }
}

/// The word that a text ends with.
fn last_word(text: &[u8]) -> String {
    let from = text.iter().rposition(|&byte| !words::is_word(byte)).map_or(0, |at| at + 1);
    // A name that goes on farther than anybody looks is not known.
    if from == 0 && text.len() >= FARTHEST {
        return String::new();
    }
    std::str::from_utf8(&text[from..]).unwrap_or("").to_owned()
}

/// Where the bracket opens that a text ends with. Brackets in strings are counted like others; in
/// the worst case the result is unknown.
fn opening(text: &[u8], open: u8, close: u8) -> Option<usize> {
    let mut depth = 0_usize;
    for (at, &byte) in text.iter().enumerate().rev() {
        if byte == close {
            depth += 1;
        } else if byte == open {
            depth = depth.checked_sub(1)?;
            if depth == 0 {
                return Some(at);
            }
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_stands_before_a_name_is_read_backwards() {
        let path = |names: &[&str]| Before::Path(names.iter().map(|&name| name.into()).collect());
        let value = |name: &str, member| Before::Value { name: name.into(), member };
        for (text, expected) in [
            ("Client::", path(&["Client"])),
            ("a::b::Client::", path(&["Client"])),
            ("Vec::<u8>::", path(&["Vec"])),
            ("Vec<Option<u8>>::", path(&["Vec"])),
            ("<a::A<T> as B<U>>::", path(&["A", "B"])),
            ("<Self>::", path(&["Self"])),
            ("= ::", Before::Nothing),
            ("cart.", value("cart", false)),
            ("self.cart.", value("cart", true)),
            ("cart?.", value("cart", false)),
            ("cart!.", value("cart", false)),
            ("shop->cart->", value("cart", true)),
            ("$this->", value("$this", false)),
            ("super().", value("super", false)),
            ("new Cart(1, (2)).", Before::Made("Cart".into())),
            ("new Cart<T>().", Before::Made("Cart".into())),
            ("find(1).", Before::Expression),
            ("carts[0].", Before::Expression),
            ("self.0.", Before::Expression),
            ("load().await.", Before::Expression),
            ("\", \".", Before::Literal),
        ] {
            let operator =
                ["::", "->", "?.", "."].iter().find(|end| text.ends_with(**end)).unwrap();
            let end = text.len() - operator.len();
            assert_eq!(read(text.as_bytes(), operator.as_bytes(), end), expected, "{text}");
        }
        let long = format!("{}.", "x".repeat(5_000));
        assert_eq!(read(long.as_bytes(), b".", 5_000), Before::Expression);
    }

    #[test]
    fn in_a_text_operators_stand_close() {
        let before = |text: &str| close(text.as_bytes(), text.len());
        assert_eq!(before("the Session. "), Before::Nothing);
        assert_eq!(before("0.."), Before::Nothing);
        assert_eq!(before("call Client::"), Before::Path(vec!["Client".to_owned()]));
        assert_eq!(before("."), Before::Nothing);
        assert_eq!(before(""), Before::Nothing);
    }
}
