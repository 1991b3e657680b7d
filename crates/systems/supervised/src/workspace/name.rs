//! Names and paths of the workspace as text, without loss.
//!
//! A name on disk is any bytes. In its text a backslash is `\\`, and every byte that is not UTF-8 or belongs to a
//! control character is `\xNN`. Two names never have the same text, and a text never has a line break.

use std::{
    ffi::{OsStr, OsString},
    fmt::Write,
    os::unix::ffi::{OsStrExt, OsStringExt},
};

/// The text of a name or path.
pub(super) fn written(name: impl AsRef<OsStr>) -> String {
    let bytes = name.as_ref().as_bytes();
    let mut text = String::with_capacity(bytes.len());
    for chunk in bytes.utf8_chunks() {
        for letter in chunk.valid().chars() {
            if letter == '\\' {
                text.push_str("\\\\");
            } else if letter.is_control() {
                escape(letter.encode_utf8(&mut [0; 4]).as_bytes(), &mut text);
            } else {
                text.push(letter);
            }
        }
        escape(chunk.invalid(), &mut text);
    }
    text
}

fn escape(bytes: &[u8], text: &mut String) {
    for byte in bytes {
        // A string takes whatever is written into it.
        let _ = write!(text, "\\x{byte:02x}");
    }
}

/// The name or path that has this text. None if none has.
pub(super) fn read(text: &str) -> Option<OsString> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((first, after)) = rest.split_first() {
        rest = after;
        if *first != b'\\' {
            bytes.push(*first);
            continue;
        }
        let (kind, after) = rest.split_first()?;
        rest = after;
        match kind {
            b'\\' => bytes.push(b'\\'),
            b'x' => {
                let mut byte = [0];
                hex::decode_to_slice(rest.get(..2)?, &mut byte).ok()?;
                bytes.extend(byte);
                rest = rest.get(2..)?;
            }
            _ => return None,
        }
    }
    Some(OsString::from_vec(bytes))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_usual_name_is_its_own_text_and_an_odd_one_is_escaped() {
        let check = |name: &[u8], text: &str| {
            assert_eq!(written(OsStr::from_bytes(name)), text);
            assert_eq!(read(text).unwrap().as_bytes(), name);
        };
        check(b"src/main.rs", "src/main.rs");
        check("gr\u{fc}n %20".as_bytes(), "gr\u{fc}n %20");
        check(b"a\\b", "a\\\\b");
        check(b"a\\x0a", "a\\\\x0a");
        check(b"a\nb", "a\\x0ab");
        check(b"\xff\xfe", "\\xff\\xfe");
        check("\u{85}".as_bytes(), "\\xc2\\x85");
        for broken in ["\\", "\\x", "\\x0", "\\xzz", "\\n"] {
            assert_eq!(read(broken), None, "{broken}");
        }
    }

    proptest! {
        #[test]
        fn every_name_comes_back(bytes: Vec<u8>) {
            let name = OsString::from_vec(bytes);
            prop_assert_eq!(read(&written(&name)), Some(name));
        }
    }
}
