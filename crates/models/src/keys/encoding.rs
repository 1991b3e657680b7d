//! Thirty-two bytes as text: hexadecimal, or base64 in either alphabet.
//!
//! No copy of the bytes is left behind on the way.

use base64::{
    Engine, alphabet,
    engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig},
};
use zeroize::Zeroizing;

use super::seal::Bytes;

/// Sixty-four hexadecimal digits, or base64 with or without its `=`. Anything else is none.
pub(super) fn read(text: &[u8]) -> Option<Bytes> {
    let mut bytes = Bytes::default();
    match text.len() {
        64 => hex::decode_to_slice(text, bytes.as_mut_slice()).ok()?,
        43 | 44 => base64(text, &mut bytes)?,
        _ => return None,
    }
    Some(bytes)
}

/// As hexadecimal digits, at the end of `text`.
pub(super) fn write(bytes: &[u8; 32], text: &mut Vec<u8>) {
    let end = text.len();
    text.resize(end + 64, 0);
    hex::encode_to_slice(bytes, &mut text[end..]).expect("the text has room for 64 digits");
}

/// Refused is also text whose last letter has bits that belong to no byte: it was cut off, or made by hand.
fn base64(text: &[u8], bytes: &mut Bytes) -> Option<()> {
    let config =
        GeneralPurposeConfig::new().with_decode_padding_mode(DecodePaddingMode::Indifferent);
    let url_safe = text.iter().any(|letter| matches!(letter, b'-' | b'_'));
    let letters = if url_safe { &alphabet::URL_SAFE } else { &alphabet::STANDARD };
    // The decoder wants room for whole groups of three.
    let mut room = Zeroizing::new([0; 33]);
    let length =
        GeneralPurpose::new(letters, config).decode_slice(text, room.as_mut_slice()).ok()?;
    (length == bytes.len()).then(|| bytes.copy_from_slice(&room[..length]))
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
        let hex = hex::encode(&expected);
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
