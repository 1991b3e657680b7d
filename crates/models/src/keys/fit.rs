//! Checks that a text can be a key: something that fits into one header of a request.

use std::fmt;

use zeroize::Zeroizing;

use crate::transport::Secret;

/// Tokens of some gateways are long; none is this long.
pub const LONGEST: usize = 4096;

/// Why a text is not a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unfit {
    Empty,
    TooLong,
    /// Spaces, line breaks, control characters, or letters that no header can carry.
    Unprintable,
}

impl fmt::Display for Unfit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Empty => f.write_str("is empty"),
            Self::TooLong => write!(f, "is longer than {LONGEST} characters"),
            Self::Unprintable => {
                f.write_str("has spaces, line breaks or other characters that keys do not have")
            }
        }
    }
}

/// Makes a key of the bytes that were read. One line break at the end is not part of the key.
pub fn fit(bytes: Vec<u8>) -> Result<Secret, Unfit> {
    let mut bytes = Zeroizing::new(bytes);
    let ends = [&b"\r\n"[..], b"\n"];
    let end = ends.iter().find(|end| bytes.ends_with(end)).map_or(0, |end| end.len());
    let length = bytes.len() - end;
    bytes.truncate(length);
    match length {
        0 => return Err(Unfit::Empty),
        length if length > LONGEST => return Err(Unfit::TooLong),
        _ if !bytes.iter().all(u8::is_ascii_graphic) => return Err(Unfit::Unprintable),
        _ => {}
    }
    let text = String::from_utf8(std::mem::take(&mut *bytes));
    text.map(Secret::new).map_err(|_| Unfit::Unprintable)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_line_break_is_taken_off() {
        let check = |text: &str, key: Result<&str, Unfit>| {
            let fit = fit(text.as_bytes().to_vec());
            assert_eq!(fit.as_ref().map(Secret::reveal).map_err(|why| *why), key, "{text:?}");
        };
        check("sk-1", Ok("sk-1"));
        check("sk-1\n", Ok("sk-1"));
        check("sk-1\r\n", Ok("sk-1"));
        check("sk-1\n\n", Err(Unfit::Unprintable));
        check("sk-1\r", Err(Unfit::Unprintable));
        check("", Err(Unfit::Empty));
        check("\n", Err(Unfit::Empty));
        check("sk 1", Err(Unfit::Unprintable));
        check(" sk-1", Err(Unfit::Unprintable));
        check("sk\t1", Err(Unfit::Unprintable));
        check("sk\u{1b}[2J", Err(Unfit::Unprintable));
        check("sk\0", Err(Unfit::Unprintable));
        check("schlüssel", Err(Unfit::Unprintable));
        let longest = "k".repeat(LONGEST);
        check(&longest, Ok(&longest));
        check(&format!("{longest}\n"), Ok(&longest));
        check(&format!("{longest}k"), Err(Unfit::TooLong));
    }

    #[test]
    fn bytes_that_are_no_text_are_no_key() {
        assert_eq!(fit(vec![b's', 0xff]).err(), Some(Unfit::Unprintable));
    }
}
