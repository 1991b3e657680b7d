//! Thirty-two bytes as text: hexadecimal, or base64 in either alphabet.
//!
//! Nothing of the text is copied on the way.

use super::seal::Bytes;

/// Sixty-four hexadecimal digits, or base64 with or without its `=`. Anything else is none.
pub(super) fn read(text: &[u8]) -> Option<Bytes> {
    match text.len() {
        64 => hexadecimal(text),
        43 => base64(text),
        44 => base64(text.strip_suffix(b"=")?),
        _ => None,
    }
}

/// As hexadecimal digits, at the end of `text`.
pub(super) fn write(bytes: &[u8; 32], text: &mut Vec<u8>) {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    for byte in bytes {
        text.extend([DIGITS[usize::from(byte >> 4)], DIGITS[usize::from(byte & 15)]]);
    }
}

fn hexadecimal(text: &[u8]) -> Option<Bytes> {
    let mut bytes = Bytes::default();
    for (byte, pair) in bytes.iter_mut().zip(text.chunks_exact(2)) {
        let digit = |letter: u8| char::from(letter).to_digit(16).and_then(|d| u8::try_from(d).ok());
        *byte = digit(pair[0])? << 4 | digit(pair[1])?;
    }
    Some(bytes)
}

fn base64(text: &[u8]) -> Option<Bytes> {
    let mut bytes = Bytes::default();
    let mut places = bytes.iter_mut();
    let (mut bits, mut held) = (0u32, 0);
    for letter in text {
        bits = bits << 6 | u32::from(sextet(*letter)?);
        held += 6;
        if held >= 8 {
            held -= 8;
            *places.next()? = (bits >> held & 0xff) as u8;
            bits &= (1 << held) - 1;
        }
    }
    // What is left over is padding. Text that puts something there was cut off, or made by hand.
    (bits == 0 && places.next().is_none()).then_some(bytes)
}

fn sextet(letter: u8) -> Option<u8> {
    Some(match letter {
        b'A'..=b'Z' => letter - b'A',
        b'a'..=b'z' => letter - b'a' + 26,
        b'0'..=b'9' => letter - b'0' + 52,
        b'+' | b'-' => 62,
        b'/' | b'_' => 63,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_is_read_from_each_of_its_forms() {
        let expected: Vec<u8> = (224..=255).collect();
        let check = |text: &str| {
            assert_eq!(read(text.as_bytes()).map(|bytes| bytes.to_vec()), Some(expected.clone()));
        };
        let hex: String = expected.iter().map(|byte| format!("{byte:02x}")).collect();
        check(&hex);
        check(&hex.to_uppercase());
        check("4OHi4+Tl5ufo6err7O3u7/Dx8vP09fb3+Pn6+/z9/v8=");
        check("4OHi4-Tl5ufo6err7O3u7_Dx8vP09fb3-Pn6-_z9_v8");
        let mut text = Vec::new();
        write(&expected.try_into().unwrap(), &mut text);
        assert_eq!(text, hex.as_bytes());
    }

    #[test]
    fn anything_else_is_no_key() {
        for text in [
            "",
            "secret",
            &"0".repeat(63),
            &"0".repeat(65),
            &format!("{}g", "0".repeat(63)),
            &format!("{} ", "0".repeat(63)),
            &"A".repeat(42),
            &format!("{}==", "A".repeat(42)),
            // The last letter has bits that belong to no byte.
            &format!("{}B", "A".repeat(42)),
            &"A".repeat(44),
            &format!("{}é", "A".repeat(42)),
        ] {
            assert!(read(text.as_bytes()).is_none(), "{text:?}");
        }
    }
}
