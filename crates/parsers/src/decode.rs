//! Bytes to text: which encoding, and what is no text at all.

use chardetng::{EncodingDetector, Iso2022JpDetection, Utf8Detection};
use encoding_rs::{Encoding, UTF_8, UTF_16BE, UTF_16LE};

/// A text, and what it was written in.
#[derive(Debug)]
pub(crate) struct Decoded {
    pub(crate) text: String,
    pub(crate) encoding: &'static str,
    /// Whether some bytes stood for no character.
    pub(crate) damaged: bool,
}

/// Decodes a text: by its byte order mark, as UTF-8, as UTF-16 without a mark, by the name that the text itself gives,
/// or by what its bytes look like. None when the bytes are no text.
pub(crate) fn decode(bytes: &[u8], named: Option<&str>) -> Option<Decoded> {
    if let Some((encoding, mark)) = Encoding::for_bom(bytes) {
        let (text, damaged) = encoding.decode_without_bom_handling(bytes.get(mark..)?);
        return Some(done(text.into_owned(), encoding, damaged));
    }
    if let Some(encoding) = wide(bytes) {
        let (text, damaged) = encoding.decode_without_bom_handling(bytes);
        return Some(done(text.into_owned(), encoding, damaged));
    }
    if is_binary(bytes) {
        return None;
    }
    match std::str::from_utf8(bytes) {
        Ok(text) => return Some(done(text.to_owned(), UTF_8, false)),
        // Cut off in the middle of a character.
        Err(error) if error.error_len().is_none() => {
            let text = String::from_utf8_lossy(bytes).into_owned();
            return Some(done(text, UTF_8, true));
        }
        Err(_) => {}
    }
    let encoding =
        named.and_then(|name| Encoding::for_label(name.as_bytes())).unwrap_or_else(|| {
            let mut detector = EncodingDetector::new(Iso2022JpDetection::Deny);
            detector.feed(bytes, true);
            detector.guess(None, Utf8Detection::Allow)
        });
    let (text, damaged) = encoding.decode_without_bom_handling(bytes);
    Some(done(text.into_owned(), encoding, damaged))
}

fn done(text: String, encoding: &'static Encoding, damaged: bool) -> Decoded {
    // A NUL ends a string for programs that come after us, and means nothing in a text.
    let text = if text.contains('\0') { text.replace('\0', "\u{fffd}") } else { text };
    let text =
        if text.contains('\r') { text.replace("\r\n", "\n").replace('\r', "\n") } else { text };
    Decoded { text, encoding: encoding.name(), damaged }
}

/// UTF-16 without a mark: nearly every second byte is zero, and always the same one of two.
fn wide(bytes: &[u8]) -> Option<&'static Encoding> {
    let head = bytes.get(..bytes.len().min(4096) & !1)?;
    if head.len() < 8 {
        return None;
    }
    let pairs = head.len() / 2;
    let high = head.iter().step_by(2).filter(|byte| **byte == 0).count();
    let low = head.iter().skip(1).step_by(2).filter(|byte| **byte == 0).count();
    if low * 10 > pairs * 7 && high * 20 < pairs {
        Some(UTF_16LE)
    } else if high * 10 > pairs * 7 && low * 20 < pairs {
        Some(UTF_16BE)
    } else {
        None
    }
}

/// Whether the bytes are no text in any encoding that is a superset of ASCII.
fn is_binary(bytes: &[u8]) -> bool {
    let head = bytes.get(..64 * 1024).unwrap_or(bytes);
    let odd = head.iter().filter(|byte| matches!(byte, 0..=8 | 14..=26 | 28..=31 | 127)).count();
    head.contains(&0) || odd * 100 > head.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_encoding_gives_the_same_text() {
        let text = "Größe: 12 µm, naïve café – „Ende“.\nZweite Zeile mit Übermut und Fuß.";
        let utf16le: Vec<u8> = text.encode_utf16().flat_map(u16::to_le_bytes).collect();
        let utf16be: Vec<u8> = text.encode_utf16().flat_map(u16::to_be_bytes).collect();
        let mut marked = vec![0xff, 0xfe];
        marked.extend(&utf16le);
        let mut utf8 = vec![0xef, 0xbb, 0xbf];
        utf8.extend(text.as_bytes());
        let (latin, _, _) = encoding_rs::WINDOWS_1252.encode(text);
        for (bytes, name) in [
            (text.as_bytes(), "UTF-8"),
            (&utf8, "UTF-8"),
            (&utf16le, "UTF-16LE"),
            (&utf16be, "UTF-16BE"),
            (&marked, "UTF-16LE"),
            (&latin, "windows-1252"),
        ] {
            let decoded = decode(bytes, None).unwrap();
            let found = (decoded.text.as_str(), decoded.encoding, decoded.damaged);
            assert_eq!(found, (text, name, false));
        }
    }

    #[test]
    fn other_scripts_are_told_apart_by_their_bytes() {
        let russian = "Съешь же ещё этих мягких французских булок, да выпей чаю.";
        let (bytes, _, _) = encoding_rs::WINDOWS_1251.encode(russian);
        assert_eq!(decode(&bytes, None).unwrap().text, russian);
        let japanese = "吾輩は猫である。名前はまだ無い。どこで生れたかとんと見当がつかぬ。";
        let (bytes, _, _) = encoding_rs::SHIFT_JIS.encode(japanese);
        assert_eq!(decode(&bytes, None).unwrap().text, japanese);
        assert_eq!(decode(&bytes, Some("Shift_JIS")).unwrap().text, japanese);
    }

    #[test]
    fn what_is_no_text_is_refused() {
        assert!(
            decode(b"\x7fELF\x02\x01\x01\0\0\0\0\0\0\0\0\0\x02\0>\0\x01\0\0\0", None).is_none()
        );
        assert!(decode(&[1, 2, 3, 4, 5, 6, 7, 8], None).is_none());
        assert!(decode(b"", None).is_some_and(|decoded| decoded.text.is_empty()));
    }
}
